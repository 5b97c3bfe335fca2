// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.classify;

import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.rules.RandomPackets;
import dev.flowstone.rules.RandomRules;
import dev.flowstone.rules.RuleSet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Whatever the rules and the packets, the first rule that matches is found. */
class ClassifierPropertyTest {
  private static final int PACKETS = 600;

  @Property(tries = 60)
  void shouldFindTheFirstOfRulesInOneWord(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 64) int rules) {
    check(seed, rules);
  }

  @Property(tries = 40)
  void shouldFindTheFirstOfRulesInSeveralWords(
      @ForAll long seed, @ForAll @IntRange(min = 65, max = 700) int rules) {
    check(seed, rules);
  }

  private static void check(long seed, int ruleCount) {
    RuleSet rules = new RandomRules(seed).set(ruleCount);
    Classifier classifier = Classifier.of(rules);
    FirstMatch model = FirstMatch.of(rules);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment records = arena.allocate((PACKETS + 1) * SIZE_BYTES, SIZE_BYTES);
      new RandomPackets(rules, seed).fill(records, PACKETS + 1);
      short[] found = new short[PACKETS];
      classifier.classify(records, SIZE_BYTES, PACKETS, found);
      for (int i = 0; i < PACKETS; i++) {
        long offset = (i + 1) * SIZE_BYTES;
        int expected = model.classify(records, offset);
        assertThat((int) found[i])
            .as("packet %d: %s", i, rules.rules().get(expected))
            .isEqualTo(expected);
        if (i % 16 == 0) {
          assertThat(classifier.classify(records, offset)).isEqualTo(expected);
        }
      }
    }
  }
}
