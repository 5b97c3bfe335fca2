// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.classify;

import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * For each class of a field's values the rules that such a value leaves possible: a bit for each
 * rule, in the order of {@link BitOrder}.
 */
final class RuleBitmaps {
  /**
   * Of each class one word: the rules themselves where there is one, else a bit for each of the
   * class's words that is not zero.
   */
  private final long[] heads;

  /** Of each class so many as there are, one after the other. */
  private final long[] words;

  private RuleBitmaps(long[] heads, long[] words) {
    this.heads = heads;
    this.words = words;
  }

  /** Classes that are the same are one. */
  static final class Builder {
    private final int wordsPerClass;
    private final List<BitSet> classes = new ArrayList<>();
    private final Map<BitSet, Integer> numbers = new HashMap<>();

    Builder(int wordsPerClass) {
      this.wordsPerClass = wordsPerClass;
    }

    /** The number of the class that leaves these rules possible. */
    char classOf(BitSet rules) {
      Integer known = numbers.get(rules);
      if (known != null) {
        return (char) (int) known;
      }
      if (classes.size() > Character.MAX_VALUE) {
        throw new IllegalStateException("a field has at most 65536 classes");
      }
      BitSet own = (BitSet) rules.clone();
      numbers.put(own, classes.size());
      classes.add(own);
      return (char) (classes.size() - 1);
    }

    RuleBitmaps build() {
      long[] heads = new long[classes.size()];
      long[] words = new long[classes.size() * wordsPerClass];
      for (int number = 0; number < heads.length; number++) {
        long[] bits = classes.get(number).toLongArray();
        System.arraycopy(bits, 0, words, number * wordsPerClass, bits.length);
        heads[number] = wordsPerClass == 1 ? words[number] : summary(bits);
      }
      return new RuleBitmaps(heads, words);
    }

    private static long summary(long[] bits) {
      long summary = 0;
      for (int word = 0; word < bits.length; word++) {
        summary |= bits[word] == 0 ? 0 : 1L << word;
      }
      return summary;
    }
  }

  /** Leaves of each packet's possible rules, or words of them, those of its class. */
  void keep(char[] classes, long[] possible, int count) {
    long[] heads = this.heads;
    for (int i = 0; i < count; i++) {
      possible[i] &= heads[classes[i]];
    }
  }

  int classes() {
    return heads.length;
  }

  /** A new set of those that a class leaves. */
  BitSet rulesOf(int number) {
    int wordsPerClass = words.length / heads.length;
    return BitSet.valueOf(LongBuffer.wrap(words, number * wordsPerClass, wordsPerClass));
  }

  /** Not a copy: the innermost loop reads it. */
  long[] words() {
    return words;
  }

  long memoryBytes() {
    return (long) Long.BYTES * (heads.length + words.length);
  }
}
