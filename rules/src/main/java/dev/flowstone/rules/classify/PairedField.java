// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.classify;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Optional;

/**
 * Two fields as one: each pair of their classes has a class of its own, pairs that leave the same
 * rules have one together. Of protocol, flags and ports few pairs are unlike; what is left to be
 * done for each packet and field is done once for all of them, and fewer words of rules look
 * possible.
 */
final class PairedField implements Field {
  /** So that the table stays in a core's own caches, as do the rules of its classes. */
  private static final int MOST_PAIRS = 1 << 14;

  private static final int MOST_RULE_WORDS = 1 << 20;

  private final Field first;
  private final NumberField second;
  private final int secondClasses;
  private final char[] classOfPair;
  private final RuleBitmaps bitmaps;
  private final char[] ofSecond = new char[Classifier.AT_ONCE];

  private PairedField(Field first, NumberField second, char[] classOfPair, RuleBitmaps bitmaps) {
    this.first = first;
    this.second = second;
    this.classOfPair = classOfPair;
    this.bitmaps = bitmaps;
    secondClasses = second.bitmaps().classes();
  }

  /** Empty where there are too many pairs to gain by it. */
  static Optional<Field> of(Field first, NumberField second, int words) {
    int firstClasses = first.bitmaps().classes();
    int secondClasses = second.bitmaps().classes();
    long pairs = (long) firstClasses * secondClasses;
    if (pairs > MOST_PAIRS || pairs * words > MOST_RULE_WORDS) {
      return Optional.empty();
    }
    RuleBitmaps.Builder builder = new RuleBitmaps.Builder(words);
    char[] classOfPair = new char[(int) pairs];
    for (int pair = 0; pair < classOfPair.length; pair++) {
      BitSet both = first.bitmaps().rulesOf(pair / secondClasses);
      both.and(second.bitmaps().rulesOf(pair % secondClasses));
      classOfPair[pair] = builder.classOf(both);
    }
    return Optional.of(new PairedField(first, second, classOfPair, builder.build()));
  }

  @Override
  public void find(MemorySegment records, long offsetBytes, int count, char[] classes) {
    first.find(records, offsetBytes, count, classes);
    second.find(records, offsetBytes, count, ofSecond);
    for (int i = 0; i < count; i++) {
      classes[i] = classOfPair[classes[i] * secondClasses + ofSecond[i]];
    }
  }

  @Override
  public RuleBitmaps bitmaps() {
    return bitmaps;
  }

  @Override
  public long memoryBytes() {
    return first.memoryBytes()
        + second.memoryBytes()
        + (long) Character.BYTES * classOfPair.length
        + bitmaps.memoryBytes();
  }
}
