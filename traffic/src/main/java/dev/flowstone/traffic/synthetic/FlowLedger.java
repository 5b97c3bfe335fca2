// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

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
    if (topBidirectional.wants(flow.lifePackets())) {
      topBidirectional.offer(FlowTuple.toServer(flow).canonical(), flow.figures());
    }
    offer(flow, true);
    offer(flow, false);
  }

  private void offer(Flow flow, boolean fromClient) {
    if (topDirectional.wants(flow.lifePackets(fromClient))) {
      FlowTuple toServer = FlowTuple.toServer(flow);
      topDirectional.offer(fromClient ? toServer : toServer.reversed(), flow.figures(fromClient));
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
