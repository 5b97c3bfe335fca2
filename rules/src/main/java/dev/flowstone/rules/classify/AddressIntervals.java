// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.classify;

import dev.flowstone.rules.AddressMatch;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All addresses of one IP version in runs that no prefix tells apart; from each start to the next
 * one.
 */
final class AddressIntervals {
  private final List<BigInteger> starts;
  private final char[] classes;

  private AddressIntervals(List<BigInteger> starts, char[] classes) {
    this.starts = starts;
    this.classes = classes;
  }

  static AddressIntervals of(
      Map<AddressMatch, BitSet> prefixes, BitSet indifferent, RuleBitmaps.Builder bitmaps) {
    SortedMap<BigInteger, Change> changes = new TreeMap<>();
    changes.put(BigInteger.ZERO, new Change());
    prefixes.forEach(
        (prefix, rules) -> {
          BigInteger first = number(prefix.high(), prefix.low());
          BigInteger size = BigInteger.ONE.shiftLeft(wildBits(prefix));
          changes.computeIfAbsent(first, _ -> new Change()).begin.or(rules);
          changes.computeIfAbsent(first.add(size), _ -> new Change()).end.or(rules);
        });
    return swept(changes, indifferent, bitmaps);
  }

  private static AddressIntervals swept(
      SortedMap<BigInteger, Change> changes, BitSet indifferent, RuleBitmaps.Builder bitmaps) {
    BitSet current = (BitSet) indifferent.clone();
    List<BigInteger> starts = new ArrayList<>();
    char[] classes = new char[changes.size()];
    changes.forEach(
        (start, change) -> {
          current.andNot(change.end);
          current.or(change.begin);
          classes[starts.size()] = bitmaps.classOf(current);
          starts.add(start);
        });
    return new AddressIntervals(starts, classes);
  }

  List<BigInteger> starts() {
    return starts;
  }

  /** Of each interval its class. */
  char[] classes() {
    return classes;
  }

  int count() {
    return classes.length;
  }

  private static int wildBits(AddressMatch prefix) {
    return (prefix.ipv4() ? 32 : 128) - prefix.lengthBits();
  }

  private static BigInteger number(long high, long low) {
    return unsigned(high).shiftLeft(Long.SIZE).or(unsigned(low));
  }

  private static BigInteger unsigned(long half) {
    return new BigInteger(Long.toUnsignedString(half));
  }

  /** The rules whose prefix begins here, and those whose prefix ended before. */
  private record Change(BitSet begin, BitSet end) {
    Change() {
      this(new BitSet(), new BitSet());
    }
  }
}
