// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.operators.SentPacket;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.classify.FirstMatch;
import dev.flowstone.stages.RuleLabels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

@SuppressWarnings("try") // A harness throws at its end whatever its operator does.
class RulesOperatorTest {
  private static final String FOUR_KINDS =
      """
      rules:
        - {name: web, priority: 3, match: {destination_port: 80}, function: histogram}
        - {name: names, priority: 2, match: {destination_port: 53}, function: {sample: {one_in: 2}}}
        - {name: more-web, priority: 1, match: {destination_port: 81}, function: histogram}
        - {name: no-mail, match: {destination_port: 25}, function: drop}
      """;
  private static final int[] PORTS = {80, 53, 81, 25, 443};

  private final Map<FunctionKind, List<RuledBlock>> sent = new EnumMap<>(FunctionKind.class);

  private RulesInForce send(String rules, List<PacketBlock> blocks) throws Exception {
    RulesText text = new RulesText(7, "test", rules);
    try (var harness =
        new OneInputStreamOperatorTestHarness<>(
            new RulesOperatorFactory(LiveRules.fixed(text, _ -> {})))) {
      harness.setup();
      harness.getExecutionConfig().enableObjectReuse();
      harness.open();
      for (PacketBlock block : blocks) {
        harness.processElement(new StreamRecord<>(block, 5));
      }
      for (FunctionKind kind : FunctionKind.values()) {
        var output = harness.getSideOutput(kind.tag());
        sent.put(
            kind,
            output == null
                ? List.of()
                : output.stream()
                    .map(StreamRecord::getValue)
                    .skip(kind == FunctionKind.DROP ? 0 : 1)
                    .toList());
      }
    }
    return text.read();
  }

  private static OneInputStreamOperatorTestHarness<PacketBlock, RuledBlock> harness(LiveRules live)
      throws Exception {
    return new OneInputStreamOperatorTestHarness<>(new RulesOperatorFactory(live));
  }

  /** The coordinator says the same, perhaps a moment later. */
  @Test
  void shouldNotGoOnByRulesOfItsCheckpointThatTheJobCannotDo() throws Exception {
    RulesText saved = new RulesText(7, "test", FOUR_KINDS);
    RulesText submitted = new RulesText(1, "test", "rules: []");
    RulesCheck oneRule =
        rules -> {
          if (rules.size() > 1) {
            throw new IllegalArgumentException("too many");
          }
        };
    OperatorSubtaskState state;
    try (var harness = harness(LiveRules.fixed(saved, _ -> {}))) {
      harness.open();
      state = harness.snapshot(1, 1);
    }
    assertThat(versionAfter(state, LiveRules.fixed(submitted, _ -> {}))).isEqualTo(7);
    assertThat(versionAfter(state, LiveRules.fixed(submitted, oneRule))).isEqualTo(1);
  }

  private static long versionAfter(OperatorSubtaskState state, LiveRules live) throws Exception {
    try (var harness = harness(live)) {
      harness.initializeState(state);
      harness.open();
      harness.processElement(new StreamRecord<>(block(80), 5));
      return harness.getSideOutput(FunctionKind.PASS.tag()).remove().getValue().rules().version();
    }
  }

  private static void tell(
      OneInputStreamOperatorTestHarness<PacketBlock, RuledBlock> harness, RulesText rules) {
    ((RulesOperator) harness.getOneInputOperator()).handleOperatorEvent(new RulesEvent(rules));
  }

  private static long version(RuledBlock block) {
    return block.rules().version();
  }

  private static List<Long> versions(
      OneInputStreamOperatorTestHarness<PacketBlock, RuledBlock> harness) {
    return harness.getSideOutput(FunctionKind.PASS.tag()).stream()
        .map(StreamRecord::getValue)
        .map(RulesOperatorTest::version)
        .toList();
  }

  /** A large set takes seconds. */
  @Test
  void shouldGoOnByFormerRulesWhileOthersAreCompiled() throws Exception {
    try (var harness = harness(LiveRules.fixed(new RulesText(1, "test", "rules: []"), _ -> {}))) {
      harness.open();
      tell(harness, new RulesText(2, "test", FOUR_KINDS));
      tell(harness, new RulesText(3, "test", FOUR_KINDS));
      harness.processElement(new StreamRecord<>(block(443), 5));
      assertThat(versions(harness)).containsExactly(1L, 1L);

      for (int compiled = 0; compiled < 2; compiled++) {
        harness.getTaskMailbox().take(TaskMailbox.MIN_PRIORITY).run();
      }
      harness.processElement(new StreamRecord<>(block(443), 5));
      assertThat(versions(harness)).containsExactly(1L, 1L, 3L, 3L);
    }
  }

  @Test
  void shouldCountTogetherThePacketsOfRulesThatCameAfterTooMany() throws Exception {
    try (var harness = harness(LiveRules.fixed(new RulesText(1, "test", "rules: []"), _ -> {}))) {
      harness.open();
      RulesOperator operator = (RulesOperator) harness.getOneInputOperator();
      for (int set = 0; set < 3; set++) {
        tell(harness, new RulesText(2 + set, "test", asManyRulesAsAllowed("set-" + set)));
        harness.prepareSnapshotPreBarrier(set);
        harness.processElement(new StreamRecord<>(block(80), 5));
      }
      assertThat(operator.packetsOfRule("set-0-80")).isEqualTo(1);
      assertThat(operator.packetsOfRule("set-1-80")).isEqualTo(1);
      assertThat(operator.packetsOfRule(RuleLabels.OTHERS)).isEqualTo(1);
    }
  }

  /** A rule for each port from 1 on, besides the default. */
  private static String asManyRulesAsAllowed(String name) {
    return IntStream.range(1, RuleSet.MOST_RULES)
        .mapToObj(
            port ->
                "  - {name: %s-%d, match: {destination_port: %d}, function: pass}"
                    .formatted(name, port, port))
        .collect(Collectors.joining("\n", "rules:\n", "\n"));
  }

  @Test
  void shouldHaveRulesInForceAtTheNextBarrierOrEnd() throws Exception {
    try (var harness = harness(LiveRules.fixed(new RulesText(1, "test", "rules: []"), _ -> {}))) {
      harness.open();
      tell(harness, new RulesText(2, "test", FOUR_KINDS));
      harness.prepareSnapshotPreBarrier(1);
      assertThat(versions(harness)).containsExactly(2L);
      tell(harness, new RulesText(3, "test", "rules: []"));
      harness.getOneInputOperator().finish();
      assertThat(versions(harness)).containsExactly(2L, 3L);
    }
  }

  private static PacketBlock block(int... ports) {
    List<SentPacket> packets = new ArrayList<>();
    for (int port : ports) {
      packets.add(
          new SentPacket(FlowTuple.ipv4(1, 2, 3, port, 17), 1_000_000 + packets.size(), 100, 0));
    }
    return SentPacket.block(packets);
  }

  private static int destinationPort(PacketBlock block, int packet) {
    return PacketRecord.destinationPort(block.segment(), block.offsetOf(packet));
  }

  @Test
  void shouldSendEachPacketToTheFunctionOfItsRuleAndDropTheRest() throws Exception {
    Random random = new Random(5);
    List<PacketBlock> blocks = new ArrayList<>();
    int dropped = 0;
    for (int i = 0; i < 50; i++) {
      int[] ports =
          random.ints(1 + random.nextInt(40), 0, PORTS.length).map(j -> PORTS[j]).toArray();
      dropped += (int) Arrays.stream(ports).filter(port -> port == 25).count();
      blocks.add(block(ports));
    }

    RulesInForce rules = send(FOUR_KINDS, blocks);

    FirstMatch naive = FirstMatch.of(rules.rules());
    int out = 0;
    for (var ofKind : sent.entrySet()) {
      for (RuledBlock block : ofKind.getValue()) {
        assertThat(block.rules().version()).isEqualTo(7);
        for (int i = 0; i < block.packets().count(); i++) {
          int rule = naive.classify(block.packets().segment(), block.packets().offsetOf(i));
          assertThat(block.ruleOf(i)).isEqualTo(rule);
          assertThat(rules.kind(rule)).isEqualTo(ofKind.getKey());
          out++;
        }
      }
    }
    int in = blocks.stream().mapToInt(PacketBlock::count).sum();
    assertThat(out).isEqualTo(in - dropped);
    assertThat(dropped).isPositive();
  }

  @Test
  void shouldTellTheRulesBeforeAnyPacketOrWatermark() throws Exception {
    RulesText text = new RulesText(7, "test", FOUR_KINDS);
    try (var harness =
        new OneInputStreamOperatorTestHarness<>(
            new RulesOperatorFactory(LiveRules.fixed(text, _ -> {})))) {
      harness.setup();
      harness.open();
      harness.processWatermark(5);

      assertThat(harness.getSideOutput(FunctionKind.AGGREGATE.tag()))
          .singleElement()
          .satisfies(
              told -> {
                assertThat(told.getValue().packets().isEmpty()).isTrue();
                assertThat(told.getValue().rules().version()).isEqualTo(7);
              });
      harness.processElement(new StreamRecord<>(block(1), 5));
      assertThat(harness.getSideOutput(FunctionKind.AGGREGATE.tag())).hasSize(1);
    }
  }

  /** The memory of the block also has packets that are not selected. */
  @Test
  void classifiesTheSelectedPacketsOfAnOwnedBlock() throws Exception {
    send(FOUR_KINDS, List.of(block(443, 25, 443, 25, 443, 25).select(new int[] {1, 3, 5}, 3)));

    assertThat(sent.values()).allSatisfy(blocks -> assertThat(blocks).isEmpty());
  }

  @Test
  void shouldKeepPositionsAndOrder() throws Exception {
    send(FOUR_KINDS, List.of(block(443, 80, 443, 53, 81)));

    RuledBlock histograms = sent.get(FunctionKind.HISTOGRAM).getFirst();
    assertThat(histograms.packets().positionOf(0)).isEqualTo(1);
    assertThat(histograms.packets().positionOf(1)).isEqualTo(4);
    assertThat(destinationPort(histograms.packets(), 1)).isEqualTo(81);
  }

  @Test
  void shouldTellALossOnceWhereverItsPacketsGo() throws Exception {
    PacketLoss loss = PacketLoss.inRing(9);

    send(
        FOUR_KINDS,
        List.of(
            block(443, 80).withLossBefore(loss),
            block(80, 81).withLossBefore(loss),
            block(25).withLossBefore(loss),
            block(53, 25).withLossBefore(loss)));

    List<PacketLoss> told =
        sent.values().stream()
            .flatMap(List::stream)
            .map(block -> block.packets().lossBefore())
            .filter(each -> !each.isNone())
            .toList();
    assertThat(told).containsExactly(loss, loss, loss, loss);
    assertThat(sent.get(FunctionKind.PASS))
        .extracting(block -> block.packets().lossBefore())
        .containsExactly(loss, loss, loss, loss);
  }

  @Test
  void shouldSendBlocksOfASingleRuleOnAsTheyAre() throws Exception {
    PacketBlock block = block(80, 25);

    send("rules: []\ndefault: {function: aggregate}", List.of(block));

    assertThat(sent.get(FunctionKind.AGGREGATE)).hasSize(1);
    RuledBlock only = sent.get(FunctionKind.AGGREGATE).getFirst();
    assertThat(only.packets()).isSameAs(block);
    assertThat(only.isOfOneRule()).isTrue();
    assertThat(only.ruleOf(1)).isZero();
  }

  /** Whoever reads packets hears of losses, and nobody counts one a second time. */
  @Test
  void shouldTellALossWherePacketsPassAlsoWhenNoneDoes() throws Exception {
    PacketLoss loss = PacketLoss.inRing(3);

    send("rules: []\ndefault: {function: aggregate}", List.of(block(80, 25).withLossBefore(loss)));

    assertThat(sent.get(FunctionKind.AGGREGATE))
        .singleElement()
        .satisfies(block -> assertThat(block.packets().lossBefore().isNone()).isTrue());
    assertThat(sent.get(FunctionKind.PASS))
        .singleElement()
        .satisfies(block -> assertThat(block.packets().lossBefore()).isEqualTo(loss));
  }

  @Test
  void shouldDropAllAndStillTellTheLoss() throws Exception {
    send(
        "rules: []\ndefault: {function: drop}",
        List.of(block(80).withLossBefore(PacketLoss.inRing(3)), block(80)));

    assertThat(sent.get(FunctionKind.PASS)).hasSize(1);
    assertThat(sent.get(FunctionKind.PASS).getFirst().packets().isEmpty()).isTrue();
  }

  @Test
  void shouldNumberARuleAlikeAsLongAsItsNameAndFunctionStay() {
    long before = id("{name: web, match: {destination_port: 80}, function: histogram}");
    assertThat(id("{name: web, priority: 9, topic: other, function: histogram}")).isEqualTo(before);
    assertThat(id("{name: web2, match: {destination_port: 80}, function: histogram}"))
        .isNotEqualTo(before);
    assertThat(id("{name: web, function: {histogram: {digits: 1}}}")).isNotEqualTo(before);
  }

  private static long id(String rule) {
    return new RulesText(0, "test", "rules:\n  - " + rule).read().id(0);
  }

  @Test
  void shouldBeMadeOfTheTextOfItsRules() {
    RulesInForce rules = new RulesText(3, "test", FOUR_KINDS).read();

    assertThat(RulesText.of(rules.rules()).read().rules()).isEqualTo(rules.rules());
  }
}
