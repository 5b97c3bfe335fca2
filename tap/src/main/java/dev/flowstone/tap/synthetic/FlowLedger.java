// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

/**
 * Books the rare events in the life of flows, so that every packet costs its flow's tally alone.
 */
final class FlowLedger {
  private final TopFlows topDirectional = new TopFlows();
  private final TopFlows topBidirectional = new TopFlows();
  private final SynWindows synWindows;
  private long syns;
  private long synAcks;
  private long fins;

  FlowLedger(int destinations) {
    synWindows = new SynWindows(destinations);
  }

  void synSent(int destination, long timeNs) {
    syns++;
    synWindows.add(destination, timeNs);
  }

  void synAckSent() {
    synAcks++;
  }

  void finSent() {
    fins++;
  }

  /** Called when a flow's life ends, and at the end of the run for the lives that go on. */
  void lifeEnded(Flow flow) {
    if (flow.traits.protocol() == FlowTraits.Protocol.ARP) {
      return;
    }
    if (topBidirectional.wants(flow.both.packets)) {
      topBidirectional.offer(FlowTuple.toServer(flow).canonical(), flow.both);
    }
    if (topDirectional.wants(flow.toServer.packets)) {
      topDirectional.offer(FlowTuple.toServer(flow), flow.toServer);
    }
    if (topDirectional.wants(flow.toClient.packets)) {
      topDirectional.offer(FlowTuple.toServer(flow).reversed(), flow.toClient);
    }
  }

  TopFlows topDirectional() {
    return topDirectional;
  }

  TopFlows topBidirectional() {
    return topBidirectional;
  }

  SynWindows synWindows() {
    return synWindows;
  }

  long syns() {
    return syns;
  }

  long synAcks() {
    return synAcks;
  }

  long fins() {
    return fins;
  }
}
