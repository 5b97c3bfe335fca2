// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.util.Arrays;

/** A 5-tuple. */
record FlowTuple(
    Endpoint source, Endpoint destination, int protocol, int sourcePort, int destinationPort) {
  FlowTuple reversed() {
    return new FlowTuple(destination, source, protocol, destinationPort, sourcePort);
  }

  /** The endpoint with the smaller address, then port, comes first. */
  FlowTuple canonical() {
    int order = Arrays.compareUnsigned(source.address(), destination.address());
    return order > 0 || (order == 0 && sourcePort > destinationPort) ? reversed() : this;
  }
}
