// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.classify;

import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.rules.AddressMatch;
import dev.flowstone.rules.Match;
import dev.flowstone.rules.RandomPackets;
import dev.flowstone.rules.RandomRules;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.function.Pass;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Whatever the rules and the packets, the first rule that matches is found. */
class ClassifierPropertyTest {
  private static final int PACKETS = 600;
  private static final int ADDRESSES = 600;

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

  /** More than have a slot each; of either version, as the one may look like the other. */
  @Property(tries = 10)
  void shouldFindManyAddressesUnderOneMask(@ForAll long seed, @ForAll boolean ipv4) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Rule> all = new ArrayList<>();
    for (int i = 0; i < ADDRESSES; i++) {
      long low = random.nextLong(1 << 24);
      AddressMatch masked =
          ipv4
              ? new AddressMatch(true, 0, 0xffffL << 32 | low, -1, 0xffff_ffff_00ff_ffffL)
              : new AddressMatch(false, 0, 0xffffL << 32 | low, 0xff, 0xffff_ffff_00ff_ffffL);
      Optional<AddressMatch> asked = Optional.of(masked);
      Match match =
          i % 2 == 0 ? addresses(asked, Optional.empty()) : addresses(Optional.empty(), asked);
      all.add(new Rule("r" + i, 0, match, Pass.unchanged(), Optional.empty(), Optional.empty()));
    }
    check(
        seed,
        RuleSet.of(all, RuleSet.defaultRule(Pass.unchanged(), Optional.empty(), Optional.empty())));
  }

  private static Match addresses(
      Optional<AddressMatch> source, Optional<AddressMatch> destination) {
    return new Match(
        source,
        destination,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private static void check(long seed, int ruleCount) {
    check(seed, new RandomRules(seed).set(ruleCount));
  }

  private static void check(long seed, RuleSet rules) {
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
