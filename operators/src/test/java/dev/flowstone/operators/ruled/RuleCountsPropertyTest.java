// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.operators.SentPacket;
import dev.flowstone.rules.classify.FirstMatch;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;

/** What comes in goes to a function or is dropped, and each rule's counter has its packets. */
@SuppressWarnings("try") // Its close throws whatever the operator's does.
class RuleCountsPropertyTest {
  private static final int PORTS = 12;

  /** Of some ports, by chance; any of them may come first, and several may be of one kind. */
  private static String rules(Random random) {
    List<String> functions =
        List.of("drop", "aggregate", "histogram", "pass", "{sample: {one_in: 2}}");
    StringBuilder rules = new StringBuilder("rules:\n");
    int count = 1 + random.nextInt(8);
    for (int i = 0; i < count; i++) {
      rules.append(
          "  - {name: rule-%d, priority: %d, match: {destination_port: %d-%d}, function: %s}\n"
              .formatted(
                  i,
                  random.nextInt(4),
                  random.nextInt(PORTS / 2),
                  PORTS / 2 + random.nextInt(PORTS / 2),
                  functions.get(random.nextInt(functions.size()))));
    }
    return rules + "default: {function: %s}".formatted(functions.get(random.nextInt(4)));
  }

  private static PacketBlock block(Random random) {
    List<SentPacket> packets = new ArrayList<>();
    int count = 1 + random.nextInt(60);
    for (int i = 0; i < count; i++) {
      packets.add(
          new SentPacket(FlowTuple.ipv4(1, 2, 3, random.nextInt(PORTS), 17), 1_000 + i, 100, 0));
    }
    return SentPacket.block(packets);
  }

  @Property(tries = 100)
  void shouldCountEachPacketWhereItGoes(@ForAll long seed) throws Exception {
    Random random = new Random(seed);
    RulesText text = new RulesText(1, "test", rules(random));
    RulesInForce rules = text.read();
    FirstMatch naive = FirstMatch.of(rules.rules());
    long[] ofRule = new long[rules.size()];
    Map<FunctionKind, Long> ofKind = new EnumMap<>(FunctionKind.class);
    long in = 0;
    try (var harness =
        new OneInputStreamOperatorTestHarness<>(
            new RulesOperatorFactory(LiveRules.fixed(text, _ -> {})))) {
      harness.setup();
      harness.getExecutionConfig().enableObjectReuse();
      harness.open();
      for (int i = 0; i < 20; i++) {
        PacketBlock block = block(random);
        harness.processElement(new StreamRecord<>(block, 5));
        in += block.count();
        for (int packet = 0; packet < block.count(); packet++) {
          int rule = naive.classify(block.segment(), block.offsetOf(packet));
          ofRule[rule]++;
          ofKind.merge(rules.kind(rule), 1L, Long::sum);
        }
      }
      RulesOperator operator = (RulesOperator) harness.getOneInputOperator();
      for (int rule = 0; rule < ofRule.length; rule++) {
        String name = rules.tag(rule).name();
        assertThat(operator.packetsOfRule(name)).as(name).isEqualTo(ofRule[rule]);
      }
      long out = 0;
      for (FunctionKind kind : FunctionKind.values()) {
        if (kind != FunctionKind.DROP) {
          assertThat(operator.packetsTo(kind))
              .as("%s", kind)
              .isEqualTo(ofKind.getOrDefault(kind, 0L));
          out += operator.packetsTo(kind);
        }
      }
      assertThat(out + operator.packetsDropped()).isEqualTo(in);
    }
  }
}
