// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import static dev.flowstone.operators.histogram.HistogramRules.MS;
import static dev.flowstone.operators.histogram.HistogramRules.room;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.offheap.AnonymousMemory;
import dev.flowstone.operators.RuledHarness;
import dev.flowstone.operators.SentPacket;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.rules.function.Histogram;
import dev.flowstone.rules.function.Histogram.Measure;
import dev.flowstone.rules.function.Histogram.Per;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is late, what has no time, and what happens at the bounds. */
@SuppressWarnings("try")
class FlowHistogramsTest {
  private static final long START_NS = 1_700_000_000_000_000_000L;
  private static final long INTERVAL_NS = 100 * MS;
  private static final Set<Measure> GAPS = Set.of(Measure.INTER_ARRIVAL);
  private static final Set<Measure> SIZES = Set.of(Measure.PACKET_SIZE);
  private static final Set<Measure> BOTH = Set.of(Measure.values());

  private long mappedBytes;

  @BeforeEach
  void begin() {
    mappedBytes = AnonymousMemory.mappedBytes();
  }

  @AfterEach
  void shouldGiveAllMemoryBack() {
    assertThat(AnonymousMemory.mappedBytes()).isEqualTo(mappedBytes);
  }

  private static RulesText rules(Per per, Set<Measure> of) {
    return HistogramRules.of(HistogramRules.histogram(per, of, 100, 10_000 * MS, 1, INTERVAL_NS));
  }

  private static SentPacket packet(int flow, long timeMs) {
    return new SentPacket(SentPacket.flow(flow), START_NS + timeMs * MS, 100, 0);
  }

  private static HistogramPart only(List<HistogramPart> parts) {
    assertThat(parts).hasSize(1);
    return parts.getFirst();
  }

  private static long beginMs(HistogramPart part) {
    return (part.beginNs() - START_NS) / MS;
  }

  private static long watermarkMs(long timeMs) {
    return START_NS / MS + timeMs - 1;
  }

  /** In the first interval that is still open, and told as late. */
  @Test
  void shouldCountLatePacketsInTheOpenInterval() throws Exception {
    for (Per per : new Per[] {Per.FLOW, Per.RULE}) {
      RulesText text = rules(per, GAPS);
      RulesInForce read = text.read();
      try (RuledHarness<HistogramPart> harness =
          RuledHarness.of(new FlowHistograms(room(text)), 10)) {
        harness.open();
        harness.give(List.of(packet(0, 10), packet(0, 20)), read, 0);
        harness.processWatermark(watermarkMs(250));
        assertThat(beginMs(only(harness.results()))).isZero();

        harness.give(
            List.of(packet(0, 60), packet(0, 110), packet(0, 240), packet(0, 260)), read, 0);
        harness.processWatermark(watermarkMs(300));

        HistogramPart part = only(harness.results());
        assertThat(beginMs(part)).isEqualTo(200);
        assertThat(part.packets()).isEqualTo(new PacketCounts(4, 2, 0, 0, 0, 0));
        assertThat(part.sums().greatest()).isEqualTo(130 * MS);
      }
    }
  }

  @Test
  void shouldTellWhatLiesOutsideOfTheRange() throws Exception {
    RulesText text =
        HistogramRules.of(HistogramRules.histogram(Per.RULE, GAPS, 100, 1_000, 2, INTERVAL_NS));
    long[] gapsNs = {99, 100, 1_000, 1_001};
    List<SentPacket> packets = new ArrayList<>(List.of(packet(0, 10)));
    for (long gapNs : gapsNs) {
      packets.add(new SentPacket(SentPacket.flow(0), packets.getLast().timeNs() + gapNs, 100, 0));
    }
    try (RuledHarness<HistogramPart> harness =
        RuledHarness.of(new FlowHistograms(room(text)), 10)) {
      harness.open();
      harness.give(packets, text.read(), 0);
      harness.processWatermark(Long.MAX_VALUE);

      assertThat(only(harness.results()).sums())
          .isEqualTo(new HistogramSums(99, 1_001, 0, 2_200, 1, 1));
    }
  }

  /** It is under no flow's latest time, and its size counts all the same. */
  @Test
  void shouldCountPacketsWithoutTimeApart() throws Exception {
    RulesText text = rules(Per.RULE, BOTH);
    PacketBlock timed = SentPacket.block(List.of(packet(0, 10), packet(0, 20)));
    PacketBlock untimed =
        PacketBlock.of(
            new PacketBlockOrigin(7, 1, 0, timed.timeBaseNs(), false),
            timed.segment(),
            0,
            timed.count(),
            PacketLoss.NONE);
    try (RuledHarness<HistogramPart> harness =
        RuledHarness.of(new FlowHistograms(room(text)), 10)) {
      harness.open();
      harness.give(untimed, text.read(), 0);
      harness.give(timed, text.read(), 0);
      harness.processWatermark(Long.MAX_VALUE);

      List<HistogramPart> parts = harness.results();
      assertThat(parts)
          .extracting(HistogramPart::packets)
          .containsOnly(new PacketCounts(4, 0, 1, 0, 0, 2));
      assertThat(parts)
          .filteredOn(part -> part.subject().measure() == Measure.PACKET_SIZE)
          .extracting(part -> part.sums().sumLow())
          .containsExactly(400L);
    }
  }

  @Test
  void shouldForgetAFlowAfterASilenceAndNotBefore() throws Exception {
    RulesText text = rules(Per.RULE, GAPS);
    RulesInForce read = text.read();
    try (RuledHarness<HistogramPart> harness =
        RuledHarness.of(new FlowHistograms(room(text)), 10)) {
      harness.open();
      harness.give(List.of(packet(0, 0), packet(1, 1)), read, 0);
      harness.processWatermark(watermarkMs(10_101));
      assertThat(harness.flowCount()).isEqualTo(1);
      harness.results();
      harness.give(List.of(packet(1, 10_101)), read, 0);
      harness.processWatermark(Long.MAX_VALUE);

      HistogramPart part = only(harness.results());
      assertThat(part.sums().overflow()).isEqualTo(1);
      assertThat(part.sums().greatest()).isEqualTo(10_100 * MS);
      assertThat(harness.flowCount()).isZero();
    }
  }

  @Test
  void shouldSayNothingOfTheTimesOfASinglePacket() throws Exception {
    RulesText text = rules(Per.FLOW, BOTH);
    try (RuledHarness<HistogramPart> harness =
        RuledHarness.of(new FlowHistograms(room(text)), 10)) {
      harness.open();
      harness.give(List.of(packet(0, 10)), text.read(), 0);
      harness.processWatermark(Long.MAX_VALUE);

      assertThat(only(harness.results()).subject().measure()).isEqualTo(Measure.PACKET_SIZE);
    }
  }

  /** Under a flood of new flows, the table is full when a rule's sums matter most. */
  @Test
  void shouldSumUpPacketsOfFlowsThatHaveNoRoom() throws Exception {
    Histogram sums = HistogramRules.histogram(Per.RULE, SIZES, 100, 10_000 * MS, 1, INTERVAL_NS);
    RulesText text = HistogramRules.of(sums, sums);
    RulesInForce read = text.read();
    try (RuledHarness<HistogramPart> harness = RuledHarness.of(new FlowHistograms(room(text)), 1)) {
      harness.open();
      harness.give(List.of(packet(0, 10), packet(1, 11), packet(1, 12)), read, 0);
      harness.give(List.of(packet(0, 12)), read, 1);
      harness.processWatermark(Long.MAX_VALUE);

      List<HistogramPart> parts = harness.results();
      assertThat(parts)
          .extracting(part -> part.packets().packets())
          .containsExactlyInAnyOrder(3L, 1L);
      assertThat(parts)
          .extracting(part -> part.packets().first())
          .containsExactlyInAnyOrder(3L, 1L);
      assertThat(harness.packetsWithoutRoom()).isZero();
    }
  }

  @Test
  void shouldCountPacketsOfFlowsThatHaveNoRoomWhereHistogramsArePerFlow() throws Exception {
    Histogram perFlow = HistogramRules.histogram(Per.FLOW, GAPS, 100, 10_000 * MS, 1, INTERVAL_NS);
    RulesText text = HistogramRules.of(perFlow, perFlow);
    RulesInForce read = text.read();
    try (RuledHarness<HistogramPart> harness = RuledHarness.of(new FlowHistograms(room(text)), 1)) {
      harness.open();
      harness.give(List.of(packet(0, 10), packet(0, 11), packet(1, 11)), read, 0);
      harness.give(List.of(packet(0, 12)), read, 1);
      harness.processWatermark(Long.MAX_VALUE);

      assertThat(harness.packetsWithoutRoom()).isEqualTo(1);
      assertThat(only(harness.results()).packets().packets()).isEqualTo(2);
    }
  }

  @Test
  void shouldRefuseHistogramsThatNoPageHolds() {
    Histogram twoDigits =
        HistogramRules.histogram(Per.FLOW, GAPS, 100, 10_000 * MS, 2, INTERVAL_NS);

    assertThatThrownBy(() -> room(HistogramRules.of(twoDigits)))
        .hasMessageContaining("rule 0: a histogram per flow of 100 to 10000000000 with 2 digits")
        .hasMessageContaining("fewer digits");
  }

  @Test
  void shouldRefuseSumsThatTakeTooMuchMemory() {
    Histogram large = HistogramRules.histogram(Per.RULE, GAPS, 1, 600_000_000 * MS, 5, INTERVAL_NS);

    RulesText hundred =
        HistogramRules.of(Stream.generate(() -> large).limit(100).toArray(Histogram[]::new));
    assertThatThrownBy(() -> room(hundred))
        .hasMessageContaining("100 rules")
        .hasMessageContaining("fewer digits");
  }

  private static RulesText version(long version, Histogram... functions) {
    return HistogramRules.of(version, Optional.empty(), functions);
  }

  @Test
  void shouldTakeUpOtherRules() throws Exception {
    Histogram first = HistogramRules.histogram(Per.RULE, GAPS, 100, 10_000 * MS, 1, INTERVAL_NS);
    Histogram second = HistogramRules.histogram(Per.RULE, GAPS, 200, 10_000 * MS, 1, INTERVAL_NS);
    RulesText text = version(1, first);
    try (RuledHarness<HistogramPart> harness =
        RuledHarness.of(new FlowHistograms(room(text)), 10)) {
      harness.open();
      harness.give(List.of(packet(0, 10), packet(0, 20)), text.read(), 0);
      harness.give(List.of(packet(0, 30)), version(2, second).read(), 0);
      assertThat(only(harness.results()).packets().packets()).isEqualTo(2);
      harness.processWatermark(Long.MAX_VALUE);

      // What is kept of the flow was kept by the first rule.
      HistogramPart part = only(harness.results());
      assertThat(part.packets()).isEqualTo(new PacketCounts(1, 0, 1, 0, 0, 0));
      assertThat(harness.flowCount()).isZero();
    }
  }

  /** Of an interval that is not over when the rule leaves, and of one that was restored. */
  @Test
  void shouldTellWhatARuleThatLeftHasCountedOfFlows() throws Exception {
    RulesText first = version(1, perFlow(1));
    RulesInForce second = version(2).read();
    OperatorSubtaskState saved;
    try (RuledHarness<HistogramPart> harness =
        RuledHarness.of(new FlowHistograms(room(first)), 10)) {
      harness.open();
      harness.give(List.of(packet(0, 10), packet(0, 20)), first.read(), 0);
      saved = harness.snapshot(1, 1);
    }
    try (RuledHarness<HistogramPart> harness =
        RuledHarness.of(new FlowHistograms(room(first)), 10)) {
      harness.initializeState(saved);
      harness.open();
      // Nobody has said yet whether the restored flow's rule is still there.
      harness.processWatermark(watermarkMs(50));
      harness.announce(first.read());
      harness.give(List.of(packet(1, 110), packet(1, 120)), first.read(), 0);
      harness.announce(second);
      assertThat(harness.results()).isEmpty();
      harness.processWatermark(watermarkMs(150));
      assertThat(beginMs(only(harness.results()))).isZero();
      harness.processWatermark(watermarkMs(300));
      assertThat(beginMs(only(harness.results()))).isEqualTo(100);
      harness.processWatermark(Long.MAX_VALUE);
      assertThat(harness.results()).isEmpty();
      assertThat(harness.flowCount()).isZero();
    }
  }

  /** Where the new rules have come from one side, and not yet from another. */
  @Test
  void shouldCountBlocksOfFormerRulesBetweenThoseOfNewOnes() throws Exception {
    for (Per per : new Per[] {Per.FLOW, Per.RULE}) {
      Histogram former = HistogramRules.histogram(per, BOTH, 100, 10_000 * MS, 1, INTERVAL_NS);
      Histogram newer = HistogramRules.histogram(per, BOTH, 200, 10_000 * MS, 1, INTERVAL_NS);
      RulesText first = version(1, former);
      RulesText second = version(2, newer);
      try (RuledHarness<HistogramPart> harness =
          RuledHarness.of(new FlowHistograms(room(first)), 10)) {
        harness.open();
        long timeMs = 0;
        for (RulesText each : List.of(first, second, first, second, first)) {
          harness.give(List.of(packet(0, timeMs += 10)), each.read(), 0);
        }
        harness.processWatermark(Long.MAX_VALUE);

        Map<Long, Integer> packets = new HashMap<>();
        for (HistogramPart part : harness.results()) {
          if (part.subject().measure() == Measure.PACKET_SIZE) {
            packets.merge(part.subject().ruleId(), (int) part.packets().packets(), Integer::sum);
          }
        }
        assertThat(packets)
            .containsOnly(Map.entry(first.read().id(0), 3), Map.entry(second.read().id(0), 2));
        assertThat(harness.flowCount()).isZero();
      }
    }
  }

  @Test
  void shouldGoOnByFormerRulesAfterAWatermarkThatHasPassedTheirCounts() throws Exception {
    for (Per per : new Per[] {Per.FLOW, Per.RULE}) {
      RulesText first =
          version(1, HistogramRules.histogram(per, BOTH, 100, 10 * MS, 1, INTERVAL_NS));
      RulesText second =
          version(2, HistogramRules.histogram(per, BOTH, 200, 10 * MS, 1, INTERVAL_NS));
      RulesInForce former = first.read();
      RulesInForce newer = second.read();
      try (RuledHarness<HistogramPart> harness =
          RuledHarness.of(new FlowHistograms(room(first)), 10)) {
        harness.open();
        harness.give(List.of(packet(0, 10)), former, 0);
        harness.give(List.of(packet(0, 20)), newer, 0);
        harness.give(List.of(packet(0, 30)), former, 0);
        harness.processWatermark(watermarkMs(5_000));
        harness.give(List.of(packet(0, 5_010)), former, 0);
        harness.give(List.of(packet(0, 5_020)), newer, 0);
        harness.processWatermark(Long.MAX_VALUE);

        Map<Long, Integer> packets = new HashMap<>();
        for (HistogramPart part : harness.results()) {
          if (part.subject().measure() == Measure.PACKET_SIZE) {
            packets.merge(part.subject().ruleId(), (int) part.packets().packets(), Integer::sum);
          }
        }
        assertThat(packets).containsOnly(Map.entry(former.id(0), 3), Map.entry(newer.id(0), 2));
      }
    }
  }

  @Test
  void shouldTellFromNowOnWhereTheNewRulesWantIt() throws Exception {
    RulesText first = HistogramRules.of(1, Optional.of("here"), perFlow(1));
    RulesText second = HistogramRules.of(2, Optional.of("there"), perFlow(1));
    try (RuledHarness<HistogramPart> harness =
        RuledHarness.of(new FlowHistograms(room(first)), 10)) {
      harness.open();
      harness.give(List.of(packet(0, 10), packet(0, 20)), first.read(), 0);
      harness.announce(second.read());
      harness.processWatermark(Long.MAX_VALUE);
      HistogramPart part = only(harness.results());
      assertThat(part.packets().packets()).isEqualTo(2);
      assertThat(part.rule().topic()).isEqualTo("there");
    }
  }

  /** What the watermark has passed is late for a new rule, too. */
  @Test
  void shouldNotOpenWhatIsOverForANewRule() throws Exception {
    RulesText first = version(1, perFlow(1));
    RulesText second =
        version(2, HistogramRules.histogram(Per.RULE, GAPS, 100, 10_000 * MS, 1, INTERVAL_NS));
    try (RuledHarness<HistogramPart> harness =
        RuledHarness.of(new FlowHistograms(room(first)), 10)) {
      harness.open();
      harness.announce(first.read());
      harness.processWatermark(watermarkMs(250));
      harness.give(List.of(packet(0, 60)), second.read(), 0);
      harness.processWatermark(Long.MAX_VALUE);
      HistogramPart part = only(harness.results());
      assertThat(beginMs(part)).isEqualTo(200);
      assertThat(part.packets().late()).isEqualTo(1);
    }
  }

  @Test
  void shouldShareTheRoomForSumsAnewWhenRulesChange() throws Exception {
    Histogram[] perPrefix = new Histogram[8];
    Arrays.setAll(
        perPrefix,
        i ->
            HistogramRules.histogram(
                Per.SOURCE_PREFIX, BOTH, 100 + i, 10_000 * MS, 2, INTERVAL_NS));
    RulesText one = version(1, perPrefix[0]);
    HistogramRoom room = room(one);
    try (RuledHarness<HistogramPart> harness = RuledHarness.of(new FlowHistograms(room), 10)) {
      harness.open();
      long tableBytes = AnonymousMemory.mappedBytes();
      for (int rules = 1; rules <= perPrefix.length; rules++) {
        RulesInForce read = version(rules, Arrays.copyOf(perPrefix, rules)).read();
        harness.give(List.of(packet(0, 10L * rules)), read, 0);
        assertThat(AnonymousMemory.mappedBytes() - tableBytes)
            .isBetween(room.partialBytes() / 2, room.partialBytes());
      }
      harness.processWatermark(Long.MAX_VALUE);
      assertThat(
              harness.results().stream()
                  .filter(part -> part.subject().measure() == Measure.PACKET_SIZE)
                  .mapToLong(part -> part.packets().packets())
                  .sum())
          .isEqualTo(perPrefix.length);
    }
  }

  private static Histogram perFlow(int digits) {
    return HistogramRules.histogram(Per.FLOW, GAPS, 100, 10_000 * MS, digits, INTERVAL_NS);
  }

  /** From what one small rule needs to what a large one beside it does, and back. */
  @Test
  void shouldGoOnWithMoreAndWithLessRoom() throws Exception {
    Histogram small =
        HistogramRules.histogram(Per.FLOW, GAPS, 1_000, 10_000_000, 1, 10 * INTERVAL_NS);
    RulesText alone = version(1, small);
    RulesText beside = version(2, small, perFlow(1));
    List<List<SentPacket>> blocks = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      blocks.add(List.of(packet(0, 10 * i + 1), packet(1, 10 * i + 3), packet(0, 10 * i + 4)));
    }
    OperatorSubtaskState saved = null;
    List<HistogramPart> results = new ArrayList<>();
    for (RulesText text : List.of(alone, beside, alone)) {
      try (RuledHarness<HistogramPart> harness =
          RuledHarness.of(new FlowHistograms(room(text)), 100)) {
        if (saved != null) {
          harness.initializeState(saved);
        }
        harness.open();
        harness.announce(text.read());
        harness.give(blocks.removeFirst(), text.read(), 0);
        saved = harness.snapshot(1, 1);
        if (blocks.isEmpty()) {
          harness.processWatermark(Long.MAX_VALUE);
          results.addAll(harness.results());
        }
      }
    }
    assertThat(room(beside).flowBytes()).isGreaterThan(room(alone).flowBytes());
    assertThat(results)
        .extracting(part -> part.packets().packets())
        .containsExactlyInAnyOrder(6L, 3L);
    assertThat(results)
        .extracting(part -> part.sums().greatest() / MS)
        .containsExactlyInAnyOrder(7L, 10L);
  }

  /** Else Flink would write them with Kryo, which nobody can evolve. */
  @Test
  void shouldBeDataThatFlinkKnows() {
    SerializerConfigImpl withoutKryo = new SerializerConfigImpl();
    withoutKryo.setGenericTypes(false);
    assertThat(TypeInformation.of(HistogramPart.class).createSerializer(withoutKryo)).isNotNull();
    assertThat(TypeInformation.of(HistogramResult.class).createSerializer(withoutKryo)).isNotNull();
  }
}
