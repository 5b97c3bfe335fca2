// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.classify;

import dev.flowstone.rules.RuleSet;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Finds the rule of each packet: the index, in the order of precedence, of the first one that
 * matches.
 *
 * <p>Each field that some rule asks for knows of any value which rules it leaves possible, a bit
 * for each; the first bit that all fields leave is the rule. So a packet costs a look-up for each
 * field, and a thousand rules little more than ten.
 *
 * <p>Allocates nothing after its construction; belongs to one thread. Its size is {@link
 * #memoryBytes}: half a megabyte with a few rules, at most some 150 MB with {@link
 * RuleSet#MOST_RULES} of the most unlike ones.
 */
public final class Classifier {
  /** So many packets' look-ups overlap, and what is known of them stays in the first cache. */
  static final int AT_ONCE = 256;

  private final Field[] fields;
  private final RuleBitmaps[] bitmaps;
  private final long[][] words;
  private final int wordsPerClass;
  private final int[] ruleOfBit;

  private final int defaultRule;
  private final boolean isOneWord;
  private final long everything;

  private final char[][] classes;
  private final long[] possible = new long[AT_ONCE];
  private final short[] one = new short[1];

  private Classifier(RuleSet rules) {
    BitOrder order = BitOrder.of(rules);
    fields = FieldCompiler.fields(rules, order);
    bitmaps = Arrays.stream(fields).map(Field::bitmaps).toArray(RuleBitmaps[]::new);
    words = Arrays.stream(bitmaps).map(RuleBitmaps::words).toArray(long[][]::new);
    wordsPerClass = order.words();
    ruleOfBit = order.rules();
    defaultRule = rules.size() - 1;
    isOneWord = order.words() == 1;
    everything = isOneWord ? -1 : -1L >>> (Long.SIZE - order.words());
    classes = new char[fields.length][AT_ONCE];
  }

  public static Classifier of(RuleSet rules) {
    return new Classifier(rules);
  }

  /** The rule of one packet; for many, ask for a block. */
  public int classify(MemorySegment records, long offsetBytes) {
    classify(records, offsetBytes, 1, one);
    return one[0];
  }

  /**
   * The rules of consecutive records, each of which must be a packet's.
   *
   * @param rules gets the rule of the first record at 0
   */
  public void classify(MemorySegment records, long offsetBytes, int count, short[] rules) {
    for (int first = 0; first < count; first += AT_ONCE) {
      int some = Math.min(AT_ONCE, count - first);
      look(records, offsetBytes + (long) first * Field.RECORD_BYTES, some);
      if (isOneWord) {
        chooseFromOneWord(some, rules, first);
      } else {
        chooseFromWords(some, rules, first);
      }
    }
  }

  private void look(MemorySegment records, long offsetBytes, int count) {
    Arrays.fill(possible, 0, count, everything);
    for (int field = 0; field < fields.length; field++) {
      fields[field].find(records, offsetBytes, count, classes[field]);
      bitmaps[field].keep(classes[field], possible, count);
    }
  }

  /** Bits beyond the rules', of which 64 is one, are the default's. */
  private void chooseFromOneWord(int count, short[] rules, int firstRule) {
    for (int i = 0; i < count; i++) {
      rules[firstRule + i] = (short) Math.min(Long.numberOfTrailingZeros(possible[i]), defaultRule);
    }
  }

  private void chooseFromWords(int count, short[] rules, int firstRule) {
    for (int i = 0; i < count; i++) {
      int rule = defaultRule;
      for (long words = possible[i]; words != 0; words &= words - 1) {
        rule = Math.min(rule, firstIn(Long.numberOfTrailingZeros(words), i));
      }
      rules[firstRule + i] = (short) rule;
    }
  }

  private int firstIn(int word, int packet) {
    long rules = -1;
    for (int field = 0; field < words.length; field++) {
      rules &= words[field][classes[field][packet] * wordsPerClass + word];
    }
    return rules == 0
        ? defaultRule
        : ruleOfBit[word * Long.SIZE + Long.numberOfTrailingZeros(rules)];
  }

  /** What the compiled rules take. */
  public long memoryBytes() {
    return Arrays.stream(fields).mapToLong(Field::memoryBytes).sum();
  }
}
