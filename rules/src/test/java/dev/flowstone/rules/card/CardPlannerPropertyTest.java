// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.card;

import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.CardRuleKeyLayout;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.rules.RandomPackets;
import dev.flowstone.rules.RandomRules;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.classify.FirstMatch;
import dev.flowstone.rules.function.Drop;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Whatever the rules and the packets: the card and then the rest find what the rules mean. */
class CardPlannerPropertyTest {
  private static final int PACKETS = 600;

  /** Bits of the descriptor that the card does not look at. */
  private static final int LATER_BITS =
      PacketRecordLayout.TRAFFIC_CLASS_MASK << PacketRecordLayout.TRAFFIC_CLASS_SHIFT
          | PacketRecordLayout.GENERATION_MASK << PacketRecordLayout.GENERATION_SHIFT;

  @Property(tries = 300)
  void shouldGiveEachPacketItsRule(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 40) int ruleCount) {
    RuleSet rules = new RandomRules(seed).set(ruleCount);
    CardPlan plan = CardPlanner.plan(rules);
    FirstMatch all = FirstMatch.of(rules);
    FirstMatch rest = rest(rules, plan);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment records = arena.allocate(PACKETS * SIZE_BYTES, SIZE_BYTES);
      new RandomPackets(rules, seed).fill(records, PACKETS);
      for (int i = 0; i < PACKETS; i++) {
        long at = i * SIZE_BYTES;
        makePossible(records, at);
        CardRule met = met(plan, records, at);
        int expected = all.classify(records, at);
        int found =
            met == null
                ? plan.rulesOnCard() + rest.classify(records, at)
                : CardPlan.ruleOf(met.trafficClass());
        assertThat(found).as("packet %d of seed %d", i, seed).isEqualTo(expected);
        if (met != null) {
          assertThat(met.drops()).isEqualTo(rules.rules().get(expected).function() instanceof Drop);
        }
      }
    }
  }

  /** The rules that the card leaves; where it takes all, nothing is left to find. */
  private static FirstMatch rest(RuleSet rules, CardPlan plan) {
    int first = Math.min(plan.rulesOnCard(), rules.size() - 1);
    return FirstMatch.of(new RuleSet(rules.rules().subList(first, rules.size())));
  }

  /** As the card would: bit by bit, the first entry counts. */
  private static CardRule met(CardPlan plan, MemorySegment records, long at) {
    byte[] key = new byte[(int) CardRuleKeyLayout.SIZE_BYTES];
    copy(records, at + PacketRecordLayout.SOURCE_ADDRESS_OFFSET, key, 0, 36);
    copy(
        records,
        at + PacketRecordLayout.PROTOCOL_OFFSET,
        key,
        (int) CardRuleKeyLayout.PROTOCOL_OFFSET,
        4);
    int descriptor = PacketRecord.descriptor(records, at) & ~LATER_BITS;
    for (int i = 0; i < Integer.BYTES; i++) {
      key[(int) CardRuleKeyLayout.DESCRIPTOR_OFFSET + i] = (byte) (descriptor >>> (Byte.SIZE * i));
    }
    return plan.entries().stream().filter(entry -> meets(key, entry)).findFirst().orElse(null);
  }

  private static void copy(MemorySegment records, long from, byte[] key, int to, int length) {
    MemorySegment.copy(records, ValueLayout.JAVA_BYTE, from, key, to, length);
  }

  private static boolean meets(byte[] key, CardRule entry) {
    byte[] value = entry.value();
    byte[] mask = entry.mask();
    for (int i = 0; i < key.length; i++) {
      if ((byte) (key[i] & mask[i]) != value[i]) {
        return false;
      }
    }
    return true;
  }

  /** A record without IP has nothing but ports, which say why. */
  private static void makePossible(MemorySegment records, long at) {
    if (PacketRecord.kind(PacketRecord.descriptor(records, at)) == RecordKind.OTHER) {
      records.asSlice(at + PacketRecordLayout.SOURCE_ADDRESS_OFFSET, 32).fill((byte) 0);
      records.asSlice(at + PacketRecordLayout.PROTOCOL_OFFSET, 4).fill((byte) 0);
    }
  }
}
