// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.RingBlocks;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.operators.ruled.LiveRules;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RuledBlocks;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.rules.card.CardPlan;
import dev.flowstone.testbed.rings.EmulatedCardsTap;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The same packets and rules with a card's help and without: the books of both agree. */
@Timeout(120)
class CardRulesITCase {
  private static final long PACKETS = 50_000;
  private static final String FEED =
      "synthetic:preset=backbone,seed=7,unlimited,packets=" + PACKETS;
  private static final int RULES_ON_CARD = 3;

  /** The fourth has more prefixes than a card has room for. */
  private static final String RULES =
      """
      rules:
        - {name: names, priority: 9, match: {protocol: udp, destination_port: 53}, function: drop}
        - {name: from-web, priority: 8, match: {protocol: tcp, source_port: 443}, function: aggregate}
        - {name: quic, priority: 7, match: {protocol: udp, source_port: 443}, function: drop}
        - {name: wide, priority: 6, match: {source_port: 1-65534, destination_port: 1-30000}, function: pass}
        - {name: rest, priority: 5, match: {protocol: tcp}, function: drop}
      default: {function: pass}
      """;

  /** Those whose packets go on to functions. */
  private static final List<String> GOING_ON = List.of("from-web", "wide", "default");

  @TempDir private static Path folder;

  private static final class Read extends RichMapFunction<PacketBlock, Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public Integer map(PacketBlock block) {
      getRuntimeContext().getLongCounter("read").add(block.count());
      return block.count();
    }
  }

  /** Counts packets by the rule that the job gives them, and holds that against the card's. */
  private static final class Ruled extends RichMapFunction<RuledBlock, Integer> {
    private static final long serialVersionUID = 1L;
    private final int rulesOnCard;

    Ruled(int rulesOnCard) {
      this.rulesOnCard = rulesOnCard;
    }

    @Override
    public Integer map(RuledBlock block) {
      PacketBlock packets = block.packets();
      for (int i = 0; i < packets.count(); i++) {
        int rule = block.ruleOf(i);
        getRuntimeContext().getLongCounter(block.rules().tag(rule).name()).add(1L);
        int descriptor = PacketRecord.descriptor(packets.segment(), packets.offsetOf(i));
        int expected = rule < rulesOnCard ? CardPlan.classOf(rule) : 0;
        boolean agrees = PacketRecord.trafficClass(descriptor) == expected;
        getRuntimeContext().getLongCounter("disputed").add(agrees ? 0L : 1L);
      }
      return packets.count();
    }
  }

  /**
   * What a job finds in a card's rings.
   *
   * @param read packets that were in the rings
   * @param goingOn packets by rule, of rules that do not drop
   * @param disputed packets of which the card says another rule than the job
   */
  private record Found(long read, Map<String, Long> goingOn, long disputed) {
    /** By the job's rules, of what it read. */
    long dropped() {
      return read - goingOn.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  private static Found find(Path rings, int rulesOnCard) throws Exception {
    StreamExecutionEnvironment job =
        StreamExecutionEnvironment.createLocalEnvironment(EmulatedCardsTap.RINGS);
    job.setMaxParallelism(128);
    RingBlocks blocks =
        FlowExchange.AUTO.read(job, FpgaSource.builder().ringDirectory(rings).bounded(), "rings");
    blocks.packets().map(new Read()).sinkTo(new DiscardingSink<>());
    LiveRules rules = LiveRules.fixed(new RulesText(1, "test", RULES), _ -> {});
    RuledBlocks ruled = RuledBlocks.of(blocks, rules, "Rules");
    for (FunctionKind kind : List.of(FunctionKind.PASS, FunctionKind.AGGREGATE)) {
      ruled.of(kind).map(new Ruled(rulesOnCard)).sinkTo(new DiscardingSink<>());
    }
    Map<String, Object> counted = job.execute("card rules").getAllAccumulatorResults();
    Map<String, Long> goingOn =
        GOING_ON.stream()
            .collect(Collectors.toMap(name -> name, name -> (Long) counted.getOrDefault(name, 0L)));
    return new Found((Long) counted.get("read"), goingOn, (Long) counted.get("disputed"));
  }

  private static long filtered(JsonNode cards) {
    return cards.get(0).get("ports").get(0).get("filtered").asLong();
  }

  @Test
  void shouldDropTogetherWhatAJobDropsAlone() throws Exception {
    Path file = Files.writeString(folder.resolve("rules.yaml"), RULES);
    try (ScratchFolder rings = ScratchFolder.inMemory("card-rules")) {
      Path plain = rings.path().resolve("plain");
      Path helped = rings.path().resolve("helped");
      assertThat(filtered(EmulatedCardsTap.fill(folder, plain, 1, FEED))).isZero();
      long filtered =
          filtered(EmulatedCardsTap.fill(folder, helped, 1, FEED, "--rules", file.toString()));
      Found alone = find(plain, 0);
      Found withCard = find(helped, RULES_ON_CARD);

      assertThat(alone.read()).isEqualTo(PACKETS);
      assertThat(alone.goingOn().values()).allSatisfy(count -> assertThat(count).isPositive());
      assertThat(filtered).isPositive();
      assertThat(withCard.dropped()).as("by rules that the card has no room for").isPositive();

      assertThat(filtered + withCard.read()).isEqualTo(PACKETS);
      assertThat(filtered + withCard.dropped()).isEqualTo(alone.dropped());
      assertThat(withCard.goingOn()).isEqualTo(alone.goingOn());
      assertThat(alone.disputed()).as("a card without rules gives no class").isZero();
      assertThat(withCard.disputed()).as("packets with another class than their rule").isZero();
    }
  }
}
