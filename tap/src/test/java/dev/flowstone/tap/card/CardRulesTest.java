// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.card.CardPlan;
import dev.flowstone.rules.card.CardPlanner;
import dev.flowstone.rules.classify.FirstMatch;
import dev.flowstone.rules.function.Drop;
import dev.flowstone.rules.yaml.RulesYaml;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rules of a job, in an emulated card. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CardRulesTest {
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** The range of ports has more prefixes than the card has room for. */
  private static final String RULES =
      """
      rules:
        - {name: dns, priority: 9, match: {protocol: udp, destination_port: 53}, function: drop}
        - {name: web, priority: 8, match: {protocol: tcp, destination_port: [80, 443]}, function: aggregate}
        - {name: arp, priority: 7, match: {ip: none}, function: drop}
        - {name: wide, priority: 6, match: {source_port: 1-65534, destination_port: 1-65534}, function: aggregate}
        - {name: rest, priority: 5, match: {protocol: tcp}, function: drop}
      default: {function: pass}
      """;

  /** Packets that passed before the rules changed may still be in the card's rings. */
  private static final long MORE_THAN_THE_CARD_HOLDS = 200_000;

  private static final String DROP_ALL = "rules: []\ndefault: {function: drop}\n";

  @TempDir Path folder;

  private static RuleSet rules(String text) {
    return RulesYaml.read(text.getBytes(StandardCharsets.UTF_8), "test");
  }

  private static CardRuleTable table(RuleSet rules) {
    return new CardRuleTable(CardPlanner.plan(rules).entries());
  }

  @Test
  void shouldGiveEachPacketTheClassOfItsRuleOrDropIt() throws Exception {
    requireClassesOfRules("model");
  }

  @Test
  @Tag("slow")
  void shouldGiveEachPacketTheClassOfItsRuleInTheRtl() throws Exception {
    requireClassesOfRules("rtl");
  }

  private void requireClassesOfRules(String engine) throws Exception {
    BuiltEmulator.requireEngine(engine, "no rule was tried in the kernels' RTL");
    RuleSet rules = rules(RULES);
    CardPlan plan = CardPlanner.plan(rules);
    assertThat(plan.rulesOnCard()).isEqualTo(3);
    List<Path> captures = ReplayedCaptures.whole(folder);
    String feed = captures.stream().map(Path::toString).collect(Collectors.joining(","));
    try (EmulatedTap card = new EmulatedTap(folder, engine, "--feed", feed, "--pace", "wait")) {
      card.rules = table(rules);
      CardCounters counters = card.start().finish();
      RingDirectory replayed = ReplayedCaptures.replay(folder.resolve("replayed"), captures);
      long dropped = 0;
      for (int ring = 0; ring < MadeFiles.SHAPE.ringCount(); ring++) {
        List<String> all = MadeFiles.records(replayed, ring);
        List<String> expected = expected(all, rules, plan);
        dropped += all.size() - expected.size();
        assertThat(MadeFiles.records(card.files.directory(), ring)).isEqualTo(expected);
      }
      assertThat(dropped).isPositive();
      assertThat(counters.filteredPackets()).isEqualTo(dropped);
      assertThat(counters.lostPackets()).isZero();
    }
  }

  /** What the card lets through of these packets, with the class that it gives them. */
  private static List<String> expected(List<String> records, RuleSet rules, CardPlan plan) {
    List<String> all = new ArrayList<>();
    FirstMatch first = FirstMatch.of(rules);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment record = arena.allocate(PacketRecordLayout.SIZE_BYTES, 8);
      for (String each : records) {
        record.copyFrom(MemorySegment.ofArray(HexFormat.of().parseHex(each)));
        int rule = first.classify(record, 0);
        if (rule >= plan.rulesOnCard()) {
          all.add(each);
        } else if (!(rules.rules().get(rule).function() instanceof Drop)) {
          int shifted = CardPlan.classOf(rule) << PacketRecordLayout.TRAFFIC_CLASS_SHIFT;
          record.set(
              U32,
              PacketRecordLayout.DESCRIPTOR_OFFSET,
              PacketRecord.descriptor(record, 0) | shifted);
          all.add(HexFormat.of().formatHex(record.toArray(ValueLayout.JAVA_BYTE)));
        }
      }
    }
    return all;
  }

  @Test
  void shouldChangeRulesWhilePacketsCome() throws Exception {
    try (EmulatedTap card =
        new EmulatedTap(folder, "model", "--feed", "generator", "--pace", "wait")) {
      card.start().awaitPackets(10_000);
      assertThat(card.tap.counters().filteredPackets()).isZero();
      card.tap.program(table(rules(DROP_ALL)));
      EmulatedTap.await(() -> card.tap.counters().filteredPackets() > 10_000);
      long before = card.tap.counters().packets();
      card.tap.program(CardRuleTable.EMPTY);
      card.awaitPackets(before + MORE_THAN_THE_CARD_HOLDS);
      CardCounters counters = card.stop();
      assertThat(counters.lostPackets()).isZero();
      assertThat(counters.packets() + counters.filteredPackets())
          .isEqualTo(counters.receivedPackets());
    }
  }
}
