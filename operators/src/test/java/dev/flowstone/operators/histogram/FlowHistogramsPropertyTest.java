// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import static dev.flowstone.operators.histogram.HistogramRules.MS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.operators.RuledHarness;
import dev.flowstone.operators.SentPacket;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.rules.function.Histogram;
import dev.flowstone.rules.function.Histogram.Measure;
import dev.flowstone.rules.function.Histogram.Per;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;

/**
 * Histograms against the definition, worked out from all packets at once: wherever blocks end,
 * however rings are read, whenever watermarks, checkpoints and restarts come.
 */
@SuppressWarnings("try")
class FlowHistogramsPropertyTest {
  private static final long START_NS = 1_700_000_000_000_000_000L;
  private static final int PACKETS = 500;
  private static final int RULES = 2;
  private static final int RINGS = 3;
  private static final long LONGEST_BLOCK_NS = 2_000 * MS;

  private record Ruled(SentPacket packet, int rule) {}

  @Property(tries = 25)
  void shouldBeWhatIsWorkedOutOffline(@ForAll Random random) throws Exception {
    Histogram[] functions = {function(random), function(random)};
    List<List<Ruled>> rings = rings(random);
    Map<String, HistogramResult> results = run(HistogramRules.of(functions), rings, random);
    int expected = 0;
    for (int rule = 0; rule < RULES; rule++) {
      int number = rule;
      List<SentPacket> packets =
          rings.stream()
              .flatMap(List::stream)
              .filter(each -> each.rule() == number)
              .map(Ruled::packet)
              .toList();
      Map<String, Offline.Expected> offline = Offline.of(functions[rule], packets);
      expected += offline.size();
      for (var each : offline.entrySet()) {
        assertSame(
            functions[rule],
            each.getKey(),
            each.getValue(),
            results.get(rule + " " + each.getKey()));
      }
    }
    assertThat(results).hasSize(expected);
  }

  private static Histogram function(Random random) {
    Per per = any(Per.values(), random);
    Set<Measure> of = new HashSet<>();
    of.add(any(Measure.values(), random));
    of.add(any(Measure.values(), random));
    return HistogramRules.histogram(
        per,
        of,
        1 + random.nextInt(3_000),
        (20 + random.nextInt(100)) * MS,
        per == Per.FLOW ? 1 : 1 + random.nextInt(3),
        (5 + random.nextInt(300)) * MS);
  }

  private static <T> T any(T[] values, Random random) {
    return List.of(values).get(random.nextInt(values.length));
  }

  /** Flows have a ring each; times go on in small steps and long ones, and back now and then. */
  private static List<List<Ruled>> rings(Random random) {
    int flows = 1 + random.nextInt(12);
    List<List<Ruled>> rings = new ArrayList<>();
    for (int ring = 0; ring < RINGS; ring++) {
      rings.add(new ArrayList<>());
    }
    long timeNs = START_NS;
    for (int i = 0; i < PACKETS; i++) {
      timeNs += step(random);
      int number = random.nextInt(flows);
      SentPacket packet =
          new SentPacket(
              SentPacket.flow(number * 301),
              timeNs - (random.nextInt(10) == 0 ? random.nextLong(4 * MS) : 0),
              60 + random.nextInt(1_400),
              0);
      // A flow is rarely under two rules.
      int rule = random.nextInt(8) == 0 ? random.nextInt(RULES) : number % RULES;
      rings.get(number % RINGS).add(new Ruled(packet, rule));
    }
    return rings;
  }

  private static long step(Random random) {
    return switch (random.nextInt(60)) {
      case 0 -> -random.nextLong(1_500 * MS);
      case 1 -> random.nextLong(600 * MS);
      case 2, 3, 4, 5 -> 0;
      default -> random.nextLong(1L << random.nextInt(24));
    };
  }

  private static Map<String, HistogramResult> run(
      RulesText text, List<List<Ruled>> rings, Random random) throws Exception {
    RulesInForce rules = text.read();
    int[] read = new int[RINGS];
    Map<String, HistogramPart> parts = new HashMap<>();
    // Room for few partial sums: some leave early.
    HistogramRoom room =
        new HistogramRoom(HistogramRules.room(text).flowBytes(), 1 << (10 + random.nextInt(10)));
    FlowHistograms function = new FlowHistograms(room, 1 + random.nextInt(60));
    RuledHarness<HistogramPart> harness = RuledHarness.of(function, 1_000);
    try {
      harness.open();
      for (int checkpoint = 1; left(rings, read) > 0; checkpoint++) {
        int ring = random.nextInt(RINGS);
        List<Ruled> block = nextBlock(rings.get(ring), read[ring], 1 + random.nextInt(30));
        read[ring] += block.size();
        if (!block.isEmpty()) {
          harness.give(block.stream().map(Ruled::packet).toList(), rules, block.getFirst().rule());
        }
        if (random.nextInt(3) == 0) {
          harness.processWatermark(watermarkMs(rings, read));
        }
        if (random.nextInt(20) == 0) {
          harness.prepareSnapshotPreBarrier(checkpoint);
          addTo(parts, harness.results());
          harness = restarted(harness, function, checkpoint);
          harness.announce(rules);
        }
        addTo(parts, harness.results());
      }
      harness.processWatermark(Long.MAX_VALUE);
      addTo(parts, harness.results());
      assertThat(harness.flowCount()).isZero();
    } finally {
      harness.close();
    }
    return reported(parts);
  }

  /** What the checkpoint does not hold is gone. */
  private static RuledHarness<HistogramPart> restarted(
      RuledHarness<HistogramPart> harness, FlowHistograms function, int checkpoint)
      throws Exception {
    OperatorSubtaskState saved = harness.snapshot(checkpoint, checkpoint);
    harness.close();
    RuledHarness<HistogramPart> restarted = RuledHarness.of(function, 1_000);
    restarted.initializeState(saved);
    restarted.open();
    return restarted;
  }

  private static int left(List<List<Ruled>> rings, int[] read) {
    int left = 0;
    for (int ring = 0; ring < RINGS; ring++) {
      left += rings.get(ring).size() - read[ring];
    }
    return left;
  }

  /** Packets of one rule, not too far from the first. */
  private static List<Ruled> nextBlock(List<Ruled> ring, int from, int most) {
    int to = from;
    while (to < ring.size()
        && to - from < most
        && ring.get(to).rule() == ring.get(from).rule()
        && Math.abs(ring.get(to).packet().timeNs() - ring.get(from).packet().timeNs())
            < LONGEST_BLOCK_NS) {
      to++;
    }
    return ring.subList(from, to);
  }

  /** The latest that is true. */
  private static long watermarkMs(List<List<Ruled>> rings, int[] read) {
    long earliestNs = Long.MAX_VALUE;
    for (int ring = 0; ring < RINGS; ring++) {
      for (Ruled each : rings.get(ring).subList(read[ring], rings.get(ring).size())) {
        earliestNs = Math.min(earliestNs, each.packet().timeNs());
      }
    }
    return Math.floorDiv(earliestNs, MS) - 1;
  }

  private static void addTo(Map<String, HistogramPart> parts, List<HistogramPart> more) {
    for (HistogramPart part : more) {
      String key =
          part.rule().name()
              + " "
              + Offline.key(
                  part.subject().measure(), Offline.subject(part.subject()), part.beginNs());
      HistogramPart former = parts.get(key);
      assertThat(former == null || !(former.isWhole() || part.isWhole()))
          .as("one result of %s", key)
          .isTrue();
      parts.put(key, former == null ? part : former.plus(part));
    }
  }

  private static Map<String, HistogramResult> reported(Map<String, HistogramPart> parts) {
    HistogramReport report = new HistogramReport();
    report.open(null);
    Map<String, HistogramResult> results = new HashMap<>();
    parts.values().removeIf(part -> !part.hasValues());
    parts.forEach((key, part) -> results.put(key, report.map(part)));
    return results;
  }

  private static void assertSame(
      Histogram rule, String key, Offline.Expected expected, HistogramResult result)
      throws Exception {
    assertThat(result).as(key).isNotNull();
    assertThat(result.endNs() - result.beginNs()).isEqualTo(rule.interval().toNanos());
    assertThat(result.count()).as(key).isEqualTo(expected.count);
    assertThat(result.sums())
        .as(key)
        .isEqualTo(
            new HistogramSums(
                expected.least,
                expected.greatest,
                0,
                expected.sum,
                expected.underflow,
                expected.overflow));
    assertThat(result.packets())
        .as(key)
        .isEqualTo(
            new PacketCounts(
                expected.packets, 0, expected.first, expected.earlier, expected.clockSteps, 0));
    org.HdrHistogram.Histogram decoded =
        org.HdrHistogram.Histogram.decodeFromCompressedByteBuffer(
            ByteBuffer.wrap(Base64.getDecoder().decode(result.histogram())), 0);
    assertThat(decoded.getNumberOfSignificantValueDigits()).isEqualTo(rule.digits());
    assertThat(decoded.getHighestTrackableValue())
        .isEqualTo(expected.values.getHighestTrackableValue());
    assertSameCounts(decoded, expected.values);
    if (expected.count > 0 && expected.overflow == 0) {
      assertPercentiles(result, expected);
    }
  }

  private static void assertSameCounts(
      org.HdrHistogram.Histogram decoded, org.HdrHistogram.Histogram expected) {
    assertThat(decoded.getTotalCount()).isEqualTo(expected.getTotalCount());
    expected
        .recordedValues()
        .forEach(
            each ->
                assertThat(decoded.getCountAtValue(each.getValueIteratedTo()))
                    .isEqualTo(each.getCountAtValueIteratedTo()));
  }

  private static void assertPercentiles(HistogramResult result, Offline.Expected expected) {
    assertThat(
            new long[] {
              result.percentiles().p50(),
              result.percentiles().p90(),
              result.percentiles().p99(),
              result.percentiles().p999()
            })
        .isEqualTo(
            new long[] {
              Math.min(expected.greatest, expected.values.getValueAtPercentile(50)),
              Math.min(expected.greatest, expected.values.getValueAtPercentile(90)),
              Math.min(expected.greatest, expected.values.getValueAtPercentile(99)),
              Math.min(expected.greatest, expected.values.getValueAtPercentile(99.9))
            });
  }
}
