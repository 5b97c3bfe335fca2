// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import dev.flowstone.model.FlowTuple;
import java.io.Serializable;

/**
 * A flow of which packets are not in the order of their times, or some without time: what a second
 * pass needs to find it and to make room for it. The tuple is canonical.
 *
 * @param hash the flow hash of its records
 * @param timedPackets packets whose time is known
 */
record UnsortedFlow(
    long sourceHigh,
    long sourceLow,
    long destinationHigh,
    long destinationLow,
    int sourcePort,
    int destinationPort,
    int protocol,
    boolean ipv4,
    int hash,
    Direction direction,
    long timedPackets)
    implements Serializable {

  static UnsortedFlow of(Conversation conversation, Direction direction, long timedPackets) {
    FlowTuple tuple = conversation.tuple;
    return new UnsortedFlow(
        tuple.sourceHigh(),
        tuple.sourceLow(),
        tuple.destinationHigh(),
        tuple.destinationLow(),
        tuple.sourcePort(),
        tuple.destinationPort(),
        tuple.protocol(),
        tuple.ipv4(),
        conversation.hash,
        direction,
        timedPackets);
  }

  FlowTuple tuple() {
    return new FlowTuple(
        sourceHigh,
        sourceLow,
        destinationHigh,
        destinationLow,
        sourcePort,
        destinationPort,
        protocol,
        ipv4);
  }
}
