// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.classify;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A field of one or two bytes: the class of each of its values stands in a table. */
final class NumberField implements Field {
  static final int BYTE_VALUES = 1 << Byte.SIZE;
  static final int SHORT_VALUES = 1 << Short.SIZE;

  private static final ValueLayout.OfShort U16 =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final int fieldOffsetBytes;
  private final char[] classOf;
  private final RuleBitmaps bitmaps;

  private NumberField(int fieldOffsetBytes, char[] classOf, RuleBitmaps bitmaps) {
    this.fieldOffsetBytes = fieldOffsetBytes;
    this.classOf = classOf;
    this.bitmaps = bitmaps;
  }

  /**
   * The field as the rules ask for it; empty if none does.
   *
   * @param allowed of each rule the values it takes; null: any
   */
  static Optional<NumberField> of(
      int fieldOffsetBytes, int valueCount, List<BitSet> allowed, int words) {
    BitSet indifferent = new BitSet();
    Map<BitSet, BitSet> rulesByValues = new HashMap<>();
    for (int rule = 0; rule < allowed.size(); rule++) {
      BitSet values = allowed.get(rule);
      (values == null ? indifferent : rulesByValues.computeIfAbsent(values, _ -> new BitSet()))
          .set(rule);
    }
    if (rulesByValues.isEmpty()) {
      return Optional.empty();
    }
    Partition partition = new Partition(valueCount, indifferent);
    rulesByValues.forEach(partition::add);
    RuleBitmaps.Builder bitmaps = new RuleBitmaps.Builder(words);
    return Optional.of(
        new NumberField(fieldOffsetBytes, partition.classes(bitmaps), bitmaps.build()));
  }

  @Override
  public void find(MemorySegment records, long offsetBytes, int count, char[] classes) {
    char[] classOf = this.classOf;
    long first = offsetBytes + fieldOffsetBytes;
    if (classOf.length == BYTE_VALUES) {
      for (int i = 0; i < count; i++) {
        byte value = records.get(ValueLayout.JAVA_BYTE, first + (long) i * RECORD_BYTES);
        classes[i] = classOf[Byte.toUnsignedInt(value)];
      }
    } else {
      for (int i = 0; i < count; i++) {
        short value = records.get(U16, first + (long) i * RECORD_BYTES);
        classes[i] = classOf[Short.toUnsignedInt(value)];
      }
    }
  }

  @Override
  public RuleBitmaps bitmaps() {
    return bitmaps;
  }

  @Override
  public long memoryBytes() {
    return (long) Character.BYTES * classOf.length + bitmaps.memoryBytes();
  }

  /** Values in parts that no rule tells apart, refined by one set of values after the other. */
  private static final class Partition {
    private final int[] partOf;
    private final int[] sizes;
    private final List<BitSet> rules = new ArrayList<>();

    Partition(int valueCount, BitSet indifferent) {
      partOf = new int[valueCount];
      sizes = new int[valueCount];
      sizes[0] = valueCount;
      rules.add(indifferent);
    }

    void add(BitSet values, BitSet added) {
      int parts = rules.size();
      int[] inside = new int[parts];
      values.stream().forEach(value -> inside[partOf[value]]++);
      int[] target = new int[parts];
      for (int part = 0; part < parts; part++) {
        if (inside[part] != 0) {
          target[part] = split(part, inside[part], added);
        }
      }
      values.stream().forEach(value -> partOf[value] = target[partOf[value]]);
    }

    /** The part that takes the rules as well: a new one, or the old one if all of it does. */
    private int split(int part, int inside, BitSet added) {
      if (inside == sizes[part]) {
        rules.get(part).or(added);
        return part;
      }
      BitSet both = (BitSet) rules.get(part).clone();
      both.or(added);
      rules.add(both);
      sizes[part] -= inside;
      sizes[rules.size() - 1] = inside;
      return rules.size() - 1;
    }

    char[] classes(RuleBitmaps.Builder bitmaps) {
      char[] classOf = new char[partOf.length];
      for (int value = 0; value < classOf.length; value++) {
        classOf[value] = bitmaps.classOf(rules.get(partOf[value]));
      }
      return classOf;
    }
  }
}
