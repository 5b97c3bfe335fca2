// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

/** A 5-tuple as the truth reports it. ICMP has ports 0. */
record FlowTuple(
    IpAddress source, IpAddress destination, int protocol, int sourcePort, int destinationPort) {

  FlowTuple reversed() {
    return new FlowTuple(destination, source, protocol, destinationPort, sourcePort);
  }

  /** The endpoint with the smaller (address, port) first. */
  FlowTuple bidirectional() {
    int byAddress = source.compareTo(destination);
    boolean inOrder = byAddress < 0 || (byAddress == 0 && sourcePort <= destinationPort);
    return inOrder ? this : reversed();
  }
}
