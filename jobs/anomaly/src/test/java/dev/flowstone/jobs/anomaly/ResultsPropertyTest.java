// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.jobs.anomaly.pane.Subject;
import dev.flowstone.model.FlowHash;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.results.JsonResult;
import dev.flowstone.results.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * The same packets, cut into other blocks, read from their rings in another order by more subtasks,
 * with watermarks and checkpoints at other moments: the same results, byte by byte.
 */
@SuppressWarnings("try") // Its close throws whatever the operators' do.
class ResultsPropertyTest {
  private static final long MS = 1_000_000;
  private static final long START_NS = 1_700_000_000_000_000_000L;
  private static final long END_NS = START_NS + 3_600_000 * MS;
  private static final int PACKETS = 1_500;
  private static final int RINGS = 3;
  private static final int[] FLAGS = {
    TestPacket.SYN, TestPacket.SYN, TestPacket.ACK, TestPacket.RST
  };

  private static final RulesInForce RULES =
      new RulesText(
              1,
              "test",
              """
              rules:
                - name: one
                  function:
                    anomaly:
                      - {detect: syn_flood, threshold: 3, window: 300ms}
                      - {detect: syn_flood, threshold: 20, window: 400ms, slide: 50ms,
                         thresholds: [{prefix: 10.0.0.0/30, threshold: 5}, {prefix: 10.0.0.1, threshold: 9}]}
                      - {detect: syn_flood, threshold: 2, window: 300ms, slide: 100ms, least_completed_percent: 40}
                      - {detect: udp_flood, threshold: 2, window: 100ms, baseline: {times: 2, half_life: 150ms}}
                      - {detect: udp_flood, threshold: 0, window: 200ms, slide: 100ms, baseline: {times: 3, half_life: 1s}}
                - name: two
                  function:
                    anomaly:
                      - {detect: port_scan, threshold: 4, window: 200ms, slide: 40ms}
                      - {detect: host_scan, threshold: 1, window: 1500us}
                      - {detect: amplification, threshold: 1, window: 250ms}
                      - {detect: rst_flood, threshold: 1, window: 250ms}
              default: {function: drop}
              """)
          .read();

  @Property(tries = 30)
  void shouldDependOnPacketsAlone(@ForAll Random random) throws Exception {
    List<TestPacket> packets = packets(random);
    TreeSet<String> atOnce = new TreeSet<>();
    try (DetectorRun run = new DetectorRun(RULES, 1)) {
      for (List<TestPacket> ring : rings(packets)) {
        giveAll(run, 0, ring);
      }
      run.end();
      results(run).forEach(atOnce::add);
    }
    try (DetectorRun run =
        new DetectorRun(
            RULES, 1 + random.nextInt(RINGS), Anomalies.USUAL_WATCHED_BYTES, sumBytes(random))) {
      giveBitByBit(run, packets, random);
      run.end();
      List<String> bitByBit = results(run).toList();
      assertThat(bitByBit).doesNotHaveDuplicates();
      assertThat(new TreeSet<>(bitByBit)).isEqualTo(atOnce);
      assertThat(run.isForgotten()).isTrue();
    }
    assertThat(atOnce).isNotEmpty();
  }

  /** Whoever was not turned away has the same results, byte by byte. */
  @Property(tries = 15)
  void shouldDependOnItsOwnPacketsAloneWhereThereIsNoRoomForAll(@ForAll Random random)
      throws Exception {
    List<TestPacket> packets = packets(random);
    long watchedBytes = 1L + random.nextInt(60_000);
    try (DetectorRun all = new DetectorRun(RULES, 1);
        DetectorRun bounded = new DetectorRun(RULES, 2, watchedBytes, sumBytes(random))) {
      giveBitByBit(all, packets, random);
      all.end();
      giveBitByBit(bounded, packets, random);
      bounded.end();
      Set<Subject> turnedAway = bounded.turnedAway();
      assertThat(ofOthers(bounded, turnedAway)).isEqualTo(ofOthers(all, turnedAway));
      assertThat(bounded.isForgotten()).isTrue();
    }
  }

  /** At most a few sums, or all of them: whether parts leave early. */
  private static long sumBytes(Random random) {
    return random.nextBoolean() ? 1L + random.nextInt(10_000) : Integer.MAX_VALUE;
  }

  private static Set<String> ofOthers(DetectorRun run, Set<Subject> turnedAway) {
    TreeSet<String> results = new TreeSet<>();
    run.alerts().stream()
        .filter(alert -> !turnedAway.contains(alert.subject()))
        .map(JsonResult::of)
        .forEach(results::add);
    return results;
  }

  private static Stream<String> results(DetectorRun run) {
    return Stream.<List<? extends Result>>of(run.alerts(), run.synWindows())
        .flatMap(List::stream)
        .map(JsonResult::of);
  }

  /** Some seconds, with bursts and pauses, so that there is something to find and to forget. */
  private static List<TestPacket> packets(Random random) {
    List<TestPacket> packets = new ArrayList<>();
    long[] positions = new long[RINGS];
    long timeNs = START_NS + random.nextInt(1_000) * MS;
    for (int i = 0; i < PACKETS; i++) {
      timeNs += random.nextInt(100) == 0 ? random.nextLong(900 * MS) : random.nextLong(2 * MS);
      // Times that are an end of a window.
      timeNs = random.nextInt(20) == 0 ? timeNs - timeNs % (100 * MS) + 100 * MS : timeNs;
      TestPacket packet = packet(random);
      // A flow stays in its ring.
      int ring = Math.floorMod(FlowHash.of(packet.flow()), RINGS);
      packets.add(packet.at(timeNs, ring, positions[ring]++));
    }
    return packets;
  }

  private static TestPacket packet(Random random) {
    int source = 0x0a000100 + random.nextInt(1 + random.nextInt(100));
    int destination = 0x0a000000 + random.nextInt(6);
    int from = random.nextInt(3) == 0 ? 53 : 1024;
    int to = random.nextInt(1 + random.nextInt(100));
    int protocol = random.nextBoolean() ? TestPacket.TCP : TestPacket.UDP;
    int flags = protocol == TestPacket.UDP ? 0 : FLAGS[random.nextInt(FLAGS.length)];
    return new TestPacket(
        0,
        0,
        0,
        FlowTuple.ipv4(source, destination, from, to, protocol),
        flags,
        random.nextInt(1_000));
  }

  private static List<List<TestPacket>> rings(List<TestPacket> packets) {
    List<List<TestPacket>> rings = new ArrayList<>();
    for (int ring = 0; ring < RINGS; ring++) {
      int number = ring;
      rings.add(packets.stream().filter(packet -> packet.stream() == number).toList());
    }
    return rings;
  }

  private static void giveAll(DetectorRun run, int subtask, List<TestPacket> packets)
      throws Exception {
    List<PacketBlock> blocks = new ArrayList<>();
    TestPacket.blocks(packets, blocks::add);
    for (PacketBlock block : blocks) {
      // Each packet under both rules: what a rule is for is another's test.
      run.give(subtask, RuledBlock.of(block, RULES, 0));
      run.give(subtask, RuledBlock.of(block, RULES, 1));
    }
  }

  /** Each ring goes on at its own pace, and nobody is told a time that another has not reached. */
  private static void giveBitByBit(DetectorRun run, List<TestPacket> packets, Random random)
      throws Exception {
    List<List<TestPacket>> rings = rings(packets);
    int[] next = new int[RINGS];
    int[] subtaskOf = random.ints(RINGS, 0, run.subtaskCount()).toArray();
    while (!isAtEnd(rings, next)) {
      int ring = random.nextInt(RINGS);
      int to = Math.min(rings.get(ring).size(), next[ring] + 1 + random.nextInt(60));
      giveAll(run, subtaskOf[ring], rings.get(ring).subList(next[ring], to));
      next[ring] = to;
      // Handshakes go where their flows do, which rings here are not dealt out by.
      if (run.subtaskCount() == 1 && random.nextInt(4) == 0) {
        run.restartPanes(0);
      }
      if (random.nextInt(3) == 0) {
        int subtask = random.nextInt(run.subtaskCount());
        run.mark(subtask, trueMark(rings, next, subtaskOf, subtask));
      }
    }
  }

  private static boolean isAtEnd(List<List<TestPacket>> rings, int[] next) {
    for (int ring = 0; ring < RINGS; ring++) {
      if (next[ring] < rings.get(ring).size()) {
        return false;
      }
    }
    return true;
  }

  /** The latest that holds for what this subtask has yet to read. */
  private static long trueMark(
      List<List<TestPacket>> rings, int[] next, int[] subtaskOf, int subtask) {
    long earliestNs = END_NS;
    for (int ring = 0; ring < RINGS; ring++) {
      if (subtaskOf[ring] == subtask && next[ring] < rings.get(ring).size()) {
        // Packets of a ring come in the order of time.
        earliestNs = Math.min(earliestNs, rings.get(ring).get(next[ring]).timeNs());
      }
    }
    return earliestNs / MS - 1;
  }
}
