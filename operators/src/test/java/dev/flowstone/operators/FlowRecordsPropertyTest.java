// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.FlowHash;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.results.RuleTag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Flow records against the definition, worked out from all packets at once: whatever the order they
 * come in, wherever blocks end, whenever watermarks come.
 */
@SuppressWarnings("try")
class FlowRecordsPropertyTest {
  private static final long MS = 1_000_000;
  private static final long ACTIVE_NS = 400 * MS;
  private static final long IDLE_NS = 30 * MS;
  private static final long START_NS = 1_700_000_000_000_000_000L;
  private static final int PACKETS = 400;

  @Property(tries = 60)
  void shouldDependOnThePacketsTimesAlone(@ForAll Random random) throws Exception {
    List<SentPacket> packets = packets(random);
    List<FlowRecord> records = run(packets, random);
    assertThat(records).containsExactlyInAnyOrderElementsOf(expected(packets));
  }

  /**
   * Bursts of long blocks, each in an order of its own, of ever more flows of one key group: its
   * index grows while flows have several pieces, and gaps between these close within a block.
   */
  @Property(tries = 60)
  void shouldKeepFlowsApartWhileTheIndexOfTheirKeyGroupGrows(@ForAll Random random)
      throws Exception {
    List<FlowTuple> flows = flowsOfOneKeyGroup(60);
    List<SentPacket> packets = new ArrayList<>();
    try (FlowHarness<FlowRecord> harness = harness()) {
      for (int burst = 0; burst < 5; burst++) {
        List<SentPacket> sent = burst(flows, START_NS + burst * (250 * MS), random);
        for (int from = 0; from < sent.size(); ) {
          int to = Math.min(sent.size(), from + 1 + random.nextInt(150));
          harness.give(sent.subList(from, to));
          from = to;
        }
        packets.addAll(sent);
        harness.processWatermark(Math.floorDiv(START_NS, MS) + 250L * burst + 240);
      }
      harness.processWatermark(Long.MAX_VALUE);
      assertThat(harness.counter("recordsEarly")).isZero();
      assertThat(harness.counter("packetsOut")).isEqualTo(packets.size());
      assertThat(harness.results()).containsExactlyInAnyOrderElementsOf(expected(packets));
    }
  }

  private static List<FlowTuple> flowsOfOneKeyGroup(int count) {
    return IntStream.iterate(0, flow -> flow + 1)
        .mapToObj(SentPacket::flow)
        .filter(flow -> SentPacket.keyGroup(flow, FlowHarness.KEY_GROUPS) == 3)
        .limit(count)
        .toList();
  }

  /** Six pieces of a flow at most: 200 ms by 30, and an interval may end. */
  private static List<SentPacket> burst(List<FlowTuple> flows, long startNs, Random random) {
    List<SentPacket> packets = new ArrayList<>();
    int everMore = 2 + random.nextInt(8);
    for (int i = 0; i < PACKETS; i++) {
      FlowTuple flow = flows.get(random.nextInt(Math.min(flows.size(), 1 + i / everMore)));
      long timeNs = startNs + random.nextInt(180) * MS;
      packets.add(new SentPacket(flow, timeNs, 60 + random.nextInt(1_400), 1 << random.nextInt(8)));
    }
    return packets;
  }

  private static FlowHarness<FlowRecord> harness() throws Exception {
    FlowHarness<FlowRecord> harness =
        FlowHarness.of(
            new FlowRecords(Duration.ofNanos(ACTIVE_NS), Duration.ofNanos(IDLE_NS)),
            10_000,
            FlowHarness.Backend.HASHMAP,
            1,
            0);
    harness.open();
    return harness;
  }

  /** Up to a second of packets, in an order that no time has to do with. */
  private static List<SentPacket> packets(Random random) {
    int flows = 1 + random.nextInt(12);
    int spanMs = 100 + random.nextInt(900);
    List<SentPacket> packets = new ArrayList<>();
    for (int i = 0; i < PACKETS; i++) {
      FlowTuple flow = SentPacket.flow(random.nextInt(flows) * 7);
      // Whole milliseconds now and then, so that gaps are just as long as the timeout.
      long timeNs = START_NS + random.nextInt(spanMs) * MS + (random.nextBoolean() ? 0 : i);
      packets.add(new SentPacket(flow, timeNs, 60 + random.nextInt(1_400), 1 << random.nextInt(8)));
    }
    return packets;
  }

  /** Neighbours come in any order, and watermarks tell no more than is true. */
  private static List<FlowRecord> run(List<SentPacket> packets, Random random) throws Exception {
    List<SentPacket> sent = new ArrayList<>(packets);
    sent.sort(Comparator.comparingLong(SentPacket::timeNs));
    int reach = 1 + random.nextInt(20);
    for (int from = 0; from < sent.size(); from += reach) {
      Collections.shuffle(sent.subList(from, Math.min(sent.size(), from + reach)), random);
    }
    try (FlowHarness<FlowRecord> harness = harness()) {
      boolean silent = false;
      for (int from = 0; from < sent.size(); ) {
        int to = Math.min(sent.size(), from + 1 + random.nextInt(30));
        harness.give(sent.subList(from, to));
        from = to;
        // Not so rarely that a flow has more pieces than it may.
        silent = random.nextBoolean() && !silent;
        if (!silent) {
          harness.processWatermark(
              sent.subList(from, sent.size()).stream()
                  .mapToLong(packet -> Math.floorDiv(packet.timeNs(), MS) - 1)
                  .min()
                  .orElse(Long.MIN_VALUE));
        }
      }
      harness.processWatermark(Long.MAX_VALUE);
      assertThat(harness.counter("packetsLate")).isZero();
      assertThat(harness.counter("recordsEarly")).isZero();
      assertThat(harness.counter("packetsOut")).isEqualTo(PACKETS);
      return harness.results();
    }
  }

  private static List<FlowRecord> expected(List<SentPacket> packets) {
    Map<FlowTuple, List<SentPacket>> byFlow = new HashMap<>();
    packets.forEach(
        packet -> byFlow.computeIfAbsent(packet.flow(), _ -> new ArrayList<>()).add(packet));
    List<FlowRecord> records = new ArrayList<>();
    byFlow.values().forEach(ofFlow -> addRecords(ofFlow, records));
    return records;
  }

  private static void addRecords(List<SentPacket> ofFlow, List<FlowRecord> records) {
    ofFlow.sort(Comparator.comparingLong(SentPacket::timeNs));
    List<SentPacket> piece = new ArrayList<>();
    for (SentPacket packet : ofFlow) {
      if (!piece.isEmpty()
          && (packet.timeNs() - piece.getLast().timeNs() > IDLE_NS
              || interval(packet) != interval(piece.getLast()))) {
        records.add(record(piece));
        piece.clear();
      }
      piece.add(packet);
    }
    records.add(record(piece));
  }

  private static long interval(SentPacket packet) {
    double part = Integer.toUnsignedLong(FlowHash.of(packet.flow())) / 0x1p32;
    return Math.floorDiv(packet.timeNs() - (long) (part * ACTIVE_NS), ACTIVE_NS);
  }

  private static FlowRecord record(List<SentPacket> piece) {
    return new FlowRecord(
        RuleTag.of("default"),
        piece.getFirst().flow(),
        piece.getFirst().timeNs(),
        piece.getLast().timeNs(),
        piece.size(),
        piece.stream().mapToLong(SentPacket::frameLength).sum(),
        piece.stream().mapToInt(SentPacket::tcpFlags).reduce(0, (a, b) -> a | b));
  }
}
