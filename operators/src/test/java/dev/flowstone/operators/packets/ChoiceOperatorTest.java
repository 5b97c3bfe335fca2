// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.RuleMark;
import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("try") // Closing a harness throws whatever its operator does.
class ChoiceOperatorTest {
  private static final PacketLoss LOSS = new PacketLoss(9, 2);
  private static final SentRing RING = SentRing.random(3, 1_000, new Random(1));

  private static List<PacketLoss> losses(List<WeightedBlock> sent) {
    return sent.stream()
        .map(block -> block.packets().lossBefore())
        .filter(loss -> !loss.isNone())
        .toList();
  }

  private static RulesInForce only(String function) {
    return ChoiceHarness.rules(
        "rules: []\ndefault: {topic: mine, function: %s}".formatted(function));
  }

  @Test
  void shouldPassABlockAsItIsWhereNothingIsToBeDone() throws Exception {
    try (ChoiceHarness harness = ChoiceHarness.alone()) {
      PacketBlock block = RING.block(0, 10);
      harness.give(block, only("pass"));
      WeightedBlock sent = harness.takeSent().getFirst();
      assertThat(sent.packets().segment()).isSameAs(block.segment());
      assertThat(sent.packets().isContiguous()).isTrue();
      assertThat(sent.weight()).isEqualTo(1);
      assertThat(sent.rule()).isEqualTo(new RuleMark(1, "default", "mine"));
    }
  }

  @Test
  void shouldKeepConnectionsApartFromTheSample() throws Exception {
    try (ChoiceHarness harness = ChoiceHarness.alone()) {
      harness.give(
          RING.block(0, 1_000, LOSS), only("{sample: {one_in: 10, keep_syn_fin_rst: true}}"));
      List<WeightedBlock> sent = harness.takeSent();
      assertThat(sent).extracting(WeightedBlock::weight).containsExactly(1, 10);
      assertThat(losses(sent)).containsExactly(LOSS);
      RuleCounters counted = harness.countersOf("default");
      assertThat(counted.kept.getCount()).isEqualTo(sent.getFirst().packets().count());
      assertThat(counted.sampled.getCount()).isEqualTo(sent.getLast().packets().count());
      assertThat(counted.leftOut.getCount()).isPositive();
      assertThat(counted.in.getCount())
          .isEqualTo(1_000)
          .isEqualTo(
              counted.kept.getCount() + counted.sampled.getCount() + counted.leftOut.getCount());
    }
  }

  @Test
  void shouldTellALossOnceAlsoWhereNoPacketGoesOn() throws Exception {
    RulesInForce rules = only("{sample: {one_in: 1000}}");
    try (ChoiceHarness harness = ChoiceHarness.alone()) {
      harness.give(RING.block(0, 10), rules);
      harness.takeSent();
      harness.give(RING.block(10, 20, LOSS), rules);
      harness.give(RING.block(20, 30), rules);
      harness.give(RING.block(30, 30, LOSS), rules);
      List<WeightedBlock> sent = harness.takeSent();
      assertThat(losses(sent)).containsExactly(LOSS, LOSS);
      assertThat(sent).hasSize(2).allMatch(block -> block.packets().isEmpty());
      assertThat(sent).extracting(block -> block.rule().topic()).containsOnly("mine");
      assertThat(harness.countersOf("default").leftOut.getCount()).isEqualTo(29);
    }
  }

  /**
   * It is told with the default rule, whatever that does with packets; its topic may be another.
   */
  @Test
  void shouldTellALossOfNoRulesPacketsWhereTheJobsGo() throws Exception {
    RulesInForce rules =
        ChoiceHarness.rules(
            "rules: [{name: a, function: pass}]\ndefault: {topic: results, function: histogram}");
    try (ChoiceHarness harness = ChoiceHarness.alone()) {
      PacketBlock none = PacketBlock.empty(RING.block(0, 1).origin(), LOSS);
      harness.processElement(new StreamRecord<>(RuledBlock.of(none, rules, 1)));
      WeightedBlock told = harness.takeSent().getFirst();
      assertThat(told.packets().lossBefore()).isEqualTo(LOSS);
      assertThat(told.rule()).isEqualTo(RuleMark.NONE);
    }
  }

  @Test
  void shouldTellALossOnceWhereSeveralRulesHavePackets() throws Exception {
    RulesInForce rules =
        ChoiceHarness.rules(
            """
            rules:
              - {name: web, match: {destination_port: 80}, function: {sample: {one_in: 3}}}
              - {name: names, match: {destination_port: 53}, function: {sample: {one_in: 2, keep_syn_fin_rst: true}}}
            default: {function: pass}
            """);
    try (ChoiceHarness harness = ChoiceHarness.alone()) {
      harness.give(RING.block(0, 1_000, LOSS), rules);
      List<WeightedBlock> sent = harness.takeSent();
      assertThat(sent).extracting(block -> block.rule().number()).containsExactly(1, 2, 2, 3);
      assertThat(losses(sent)).containsExactly(LOSS);
    }
  }

  /** Counts belong to name and function: other rules may come and go. */
  @Test
  void shouldCountOnWhenOtherRulesChange() throws Exception {
    RulesInForce before = only("{sample: {one_in: 100}}");
    RulesInForce after =
        ChoiceHarness.rules(
            "rules: [{name: a, match: {source_port: 9}, function: pass}]\n"
                + "default: {function: {sample: {one_in: 100}}}");
    try (ChoiceHarness harness = ChoiceHarness.alone()) {
      harness.give(RING.block(0, 40), before);
      harness.give(RING.block(40, 140), after);
      List<WeightedBlock> sent = harness.takeSent();
      assertThat(sent).extracting(block -> block.packets().positionOf(0)).containsExactly(0L, 100L);
    }
  }

  @Test
  void shouldRefuseToPassAddressesWhoseKeyIsNotThere(@TempDir Path folder) throws Exception {
    RulesInForce rules = only("{pass: {anonymise: campus}}");
    try (ChoiceHarness harness = ChoiceHarness.alone()) {
      assertThatThrownBy(() -> harness.give(RING.block(0, 1), rules))
          .hasMessage(
              "rule default: no key campus to make addresses anonymous: give the job"
                  + " --anonymise-key campus=FILE");
      assertThat(harness.takeSent()).isEmpty();
    }
    Path file = folder.resolve("key");
    Files.write(file, PrefixCipherTest.sampleKey());
    AnonymisationKeys keys = AnonymisationKeys.read(Map.of("campus", file));
    try (ChoiceHarness harness = ChoiceHarness.with(keys)) {
      harness.give(RING.block(0, 100), rules);
      WeightedBlock sent = harness.takeSent().getFirst();
      assertThat(sent.packets().count()).isEqualTo(100);
      assertThat(sent.packets().segment()).isNotSameAs(RING.records());
    }
  }
}
