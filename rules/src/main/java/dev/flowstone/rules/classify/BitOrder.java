// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.classify;

import dev.flowstone.rules.AddressMatch;
import dev.flowstone.rules.Match;
import dev.flowstone.rules.PortMatch;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Which rule has which bit. In one word they stand in the order of precedence. In several, rules
 * that ask for the same fields and for addresses near one another share a word: few words are then
 * possible for a packet. Within a word the order is that of precedence again, so its lowest bit
 * counts. The default has no bit: it is what remains.
 */
final class BitOrder {
  private final int[] rules;

  private BitOrder(int[] rules) {
    this.rules = rules;
  }

  static BitOrder of(RuleSet set) {
    int count = set.size() - 1;
    List<Match> matches = set.rules().stream().map(Rule::match).toList();
    int[] order = IntStream.range(0, count).toArray();
    if (count > Long.SIZE) {
      order =
          Arrays.stream(order)
              .boxed()
              .sorted(Comparator.comparing(matches::get, nearness()))
              .mapToInt(Integer::intValue)
              .toArray();
    }
    int[] rules = Arrays.copyOf(order, wordsFor(count) * Long.SIZE);
    Arrays.fill(rules, count, rules.length, count);
    for (int first = 0; first < rules.length; first += Long.SIZE) {
      Arrays.sort(rules, first, first + Long.SIZE);
    }
    return new BitOrder(rules);
  }

  /** At least one, so that a set with nothing but the default is no case of its own. */
  private static int wordsFor(int count) {
    return Math.max(1, (count + Long.SIZE - 1) / Long.SIZE);
  }

  /** Of each bit its rule's index; bits that are no rule's have the default's. */
  int[] rules() {
    return rules;
  }

  int words() {
    return rules.length / Long.SIZE;
  }

  private static Comparator<Match> nearness() {
    return Comparator.comparingInt(BitOrder::fieldsAsked)
        .thenComparing(Match::destination, near(BitOrder.addresses()))
        .thenComparing(Match::source, near(BitOrder.addresses()))
        .thenComparing(Match::destinationPort, near(Comparator.comparingInt(BitOrder::firstPort)))
        .thenComparing(Match::sourcePort, near(Comparator.comparingInt(BitOrder::firstPort)));
  }

  private static <T> Comparator<Optional<T>> near(Comparator<T> order) {
    return Comparator.comparing(each -> each.orElse(null), Comparator.nullsLast(order));
  }

  private static Comparator<AddressMatch> addresses() {
    return Comparator.comparing(AddressMatch::ipv4)
        .thenComparing(AddressMatch::high, Long::compareUnsigned)
        .thenComparing(AddressMatch::low, Long::compareUnsigned);
  }

  private static int firstPort(PortMatch ports) {
    return switch (ports) {
      case PortMatch.Ranges(List<PortMatch.Range> ranges) -> ranges.getFirst().first();
      case PortMatch.Masked masked -> masked.value();
    };
  }

  private static int fieldsAsked(Match match) {
    return bit(match.destination(), 0)
        | bit(match.source(), 1)
        | bit(match.destinationPort(), 2)
        | bit(match.sourcePort(), 3)
        | bit(match.protocol(), 4)
        | bit(match.tcpFlags(), 5);
  }

  private static int bit(Optional<?> asked, int bit) {
    return asked.isPresent() ? 1 << bit : 0;
  }
}
