// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/**
 * Books the rare events in the life of flows, so that every packet costs its flow's tally alone.
 */
final class FlowLedger {
  private final TopFlows topDirectional = new TopFlows();
  private final TopFlows topBidirectional = new TopFlows();
  private final SynWindows synWindows = new SynWindows(Hosts.DESTINATIONS);
  private long syns;
  private long synAcks;
  private long fins;
  private long livesBegun;
  private long directionalTuples;
  private long bidirectionalTuples;

  void lifeBegan() {
    livesBegun++;
  }

  /** A TCP packet with flags other than those of a talk. */
  void sent(int flags, int destination, long timeNs) {
    if ((flags & SegmentWriter.FIN) != 0) {
      fins++;
    }
    if ((flags & SegmentWriter.SYN) != 0) {
      if ((flags & SegmentWriter.ACK) != 0) {
        synAcks++;
      } else {
        synSent(destination, timeNs);
      }
    }
  }

  void synSent(int destination, long timeNs) {
    syns++;
    synWindows.add(destination, timeNs);
  }

  /** Called when a flow's life ends, and at the end of the run for the lives that go on. */
  void lifeEnded(Flow flow) {
    long fromClient = flow.lifePackets(true);
    long fromServer = flow.lifePackets(false);
    directionalTuples += Long.signum(fromClient) + Long.signum(fromServer);
    bidirectionalTuples += Long.signum(fromClient + fromServer);
    if (topBidirectional.wants(fromClient + fromServer)) {
      topBidirectional.offer(flow.toServer().canonical(), flow.figures());
    }
    if (topDirectional.wants(fromClient)) {
      topDirectional.offer(flow.toServer(), flow.figures(true));
    }
    if (topDirectional.wants(fromServer)) {
      topDirectional.offer(flow.toServer().reversed(), flow.figures(false));
    }
  }

  /** A flow of packets in one direction. */
  void oneWay(FlowTuple tuple, TallyFigures figures) {
    if (topDirectional.wants(figures.packets())) {
      topDirectional.offer(tuple, figures);
    }
    if (topBidirectional.wants(figures.packets())) {
      topBidirectional.offer(tuple.canonical(), figures);
    }
  }

  /** So many 5-tuples were seen in one direction. */
  void oneWayTuples(long tuples) {
    directionalTuples += tuples;
    bidirectionalTuples += tuples;
  }

  /** Whether a flow of one packet may be among the largest. */
  boolean wantsSinglePackets() {
    return topDirectional.wants(1) || topBidirectional.wants(1);
  }

  long livesBegun() {
    return livesBegun;
  }

  long directionalTuples() {
    return directionalTuples;
  }

  long bidirectionalTuples() {
    return bidirectionalTuples;
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
