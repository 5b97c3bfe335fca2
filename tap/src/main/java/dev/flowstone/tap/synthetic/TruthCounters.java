// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Counts what the generator intends to send; never reads a frame.
 *
 * <p>A tuple is counted as distinct with the first packet of its connection, which is exact because
 * {@link Endpoints} never reuses a tuple without saying so. Flood packets are one-packet flows:
 * they count everywhere but are no candidates for the largest flows.
 */
final class TruthCounters {
  private final SyntheticOptions options;
  private final TrafficPlan plan;
  private final Endpoints endpoints;
  private final FlowCounters directional;
  private final FlowCounters bidirectional;
  private final TopFlows largestDirectional = new TopFlows();
  private final TopFlows largestBidirectional = new TopFlows();
  private final SynWindows synWindows;
  private final int victimDestination;
  private final long[] tcpFlags = new long[256];
  private final PacketTotal ipv4 = new PacketTotal();
  private final PacketTotal ipv6 = new PacketTotal();
  private final PacketTotal nonIp = new PacketTotal();
  private long firstNs;
  private long lastNs;
  private long distinctDirectional;
  private long distinctBidirectional;
  private long connections;
  private long repeatedConnections;
  private long floodPackets;
  private long floodFirstNs;
  private long floodLastNs;

  TruthCounters(SyntheticOptions options, TrafficPlan plan, Endpoints endpoints) {
    this.options = options;
    this.plan = plan;
    this.endpoints = endpoints;
    directional = new FlowCounters(2 * plan.slots());
    bidirectional = new FlowCounters(plan.slots());
    int servers = Endpoints.servers(plan.slots());
    victimDestination = options.flood().map(flood -> victimIndex(flood, servers)).orElse(-1);
    synWindows = new SynWindows(2 * servers + 1);
  }

  /** The victim has a place of its own unless it is one of the traffic's servers. */
  private static int victimIndex(SynFlood flood, int servers) {
    int server = Endpoints.serverNumberOf(flood.victimBits());
    return server >= 0 && server < servers ? 2 * server : 2 * servers;
  }

  /** Counts one packet of a slot's conversation. */
  void record(int slot, int direction, int flags, long timeNs, int wireBytes) {
    markTime(timeNs);
    if (slot == plan.arpSlot()) {
      nonIp.add(wireBytes);
      return;
    }
    (plan.ipv6(slot) ? ipv6 : ipv4).add(wireBytes);
    boolean newDirection = directional.record(2 * slot + direction, timeNs, wireBytes);
    boolean newConnection = bidirectional.record(slot, timeNs, wireBytes);
    if (newDirection) {
      begin(slot, newConnection);
    }
    if (flags != TcpFlags.NONE) {
      tcpFlags[flags]++;
      if (flags == TcpFlags.SYN) {
        synWindows.record(2 * Endpoints.serverNumber(slot) + (plan.ipv6(slot) ? 1 : 0), timeNs);
      }
    }
  }

  private void begin(int slot, boolean newConnection) {
    int fresh = endpoints.repeats(slot) ? 0 : 1;
    distinctDirectional += fresh;
    if (newConnection) {
      connections++;
      distinctBidirectional += fresh;
      repeatedConnections += 1 - fresh;
    }
  }

  /** To be called before the slot takes the endpoints of its next connection. */
  void endConnection(int slot) {
    offer(slot, largestDirectional, largestBidirectional);
    directional.reset(2 * slot);
    directional.reset(2 * slot + 1);
    bidirectional.reset(slot);
  }

  void recordFlood(long timeNs, int wireBytes) {
    markTime(timeNs);
    ipv4.add(wireBytes);
    tcpFlags[TcpFlags.SYN]++;
    synWindows.record(victimDestination, timeNs);
    distinctDirectional++;
    distinctBidirectional++;
    if (floodPackets++ == 0) {
      floodFirstNs = timeNs;
    }
    floodLastNs = timeNs;
  }

  private void markTime(long timeNs) {
    if (firstNs == 0) {
      firstNs = timeNs;
    }
    lastNs = timeNs;
  }

  private void offer(int slot, TopFlows directionalTop, TopFlows bidirectionalTop) {
    for (int direction = 0; direction < 2; direction++) {
      int flow = 2 * slot + direction;
      if (directionalTop.mayAccept(directional.packets(flow))) {
        directionalTop.offer(directional.summary(flow, endpoints.tuple(slot, direction)));
      }
    }
    if (bidirectionalTop.mayAccept(bidirectional.packets(slot))) {
      FlowTuple tuple = endpoints.tuple(slot, 0).bidirectional();
      bidirectionalTop.offer(bidirectional.summary(slot, tuple));
    }
  }

  /** Everything counted so far; connections under way count as they stand. */
  SyntheticTruth snapshot() {
    TopFlows directionalTop = largestDirectional.copy();
    TopFlows bidirectionalTop = largestBidirectional.copy();
    for (int slot = 0; slot < plan.slots(); slot++) {
      offer(slot, directionalTop, bidirectionalTop);
    }
    SynWindows windows = synWindows.closed();
    return new SyntheticTruth(
        options,
        ipv4.packets + ipv6.packets + nonIp.packets,
        ipv4.bytes + ipv6.bytes + nonIp.bytes,
        ipv4.bytes + ipv6.bytes,
        ipv4.packets,
        ipv6.packets,
        nonIp.packets,
        firstNs,
        lastNs,
        connections,
        repeatedConnections,
        distinctDirectional,
        distinctBidirectional,
        packetsByTcpFlags(),
        windows,
        listSynBursts(windows),
        directionalTop.list(),
        bidirectionalTop.list(),
        floodPackets,
        floodFirstNs,
        floodLastNs);
  }

  private SortedMap<Integer, Long> packetsByTcpFlags() {
    SortedMap<Integer, Long> packets = new TreeMap<>();
    for (int flags = 0; flags < tcpFlags.length; flags++) {
      if (tcpFlags[flags] > 0) {
        packets.put(flags, tcpFlags[flags]);
      }
    }
    return packets;
  }

  private List<SyntheticTruth.SynBurst> listSynBursts(SynWindows windows) {
    List<SyntheticTruth.SynBurst> bursts = new ArrayList<>();
    for (SynWindows.Burst burst : windows.listed()) {
      bursts.add(
          new SyntheticTruth.SynBurst(
              burst.windowStartNs(), destination(burst.destination()), burst.syns()));
    }
    bursts.sort(
        Comparator.comparingLong(SyntheticTruth.SynBurst::windowStartNs)
            .thenComparing(SyntheticTruth.SynBurst::destination));
    return bursts;
  }

  private IpAddress destination(int index) {
    if (index == victimDestination) {
      return IpAddress.v4(options.flood().orElseThrow().victimBits());
    }
    return Endpoints.serverAddress(index >>> 1, (index & 1) == 1);
  }

  private static final class PacketTotal {
    private long packets;
    private long bytes;

    void add(int wireBytes) {
      packets++;
      bytes += wireBytes;
    }
  }
}
