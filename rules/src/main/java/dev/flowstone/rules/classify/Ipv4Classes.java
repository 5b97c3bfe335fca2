// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.classify;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The class of each IPv4 address: a table for its first 16 bits, one of 256 entries for the next
 * eight, one for the last. Always three steps and no branch, so that the steps of many packets
 * overlap; tables with one class throughout are there once for each class.
 */
final class Ipv4Classes {
  private static final int FAN_OUT = 256;
  private static final int MIDDLE_ADDRESSES = FAN_OUT * FAN_OUT;

  private final char[] top = new char[1 << Short.SIZE];
  private char[] middle = new char[0];
  private char[] last = new char[0];

  private Ipv4Classes() {}

  static Ipv4Classes of(AddressIntervals intervals) {
    Ipv4Classes classes = new Ipv4Classes();
    new Filling(classes, intervals).run();
    return classes;
  }

  char classOf(int address) {
    int middleTable = top[address >>> Short.SIZE];
    int lastTable = middle[(middleTable << Byte.SIZE) + (address >>> Byte.SIZE & 0xff)];
    return last[(lastTable << Byte.SIZE) + (address & 0xff)];
  }

  long memoryBytes() {
    return (long) Character.BYTES * (top.length + middle.length + last.length);
  }

  /** Goes through the addresses once, from the lowest. */
  private static final class Filling {
    private final Ipv4Classes target;
    private final AddressIntervals intervals;
    private final long[] starts;
    private final Map<Character, Character> uniformMiddle = new HashMap<>();
    private final Map<Character, Character> uniformLast = new HashMap<>();
    private int interval;
    private int middleCount;
    private int lastCount;

    Filling(Ipv4Classes target, AddressIntervals intervals) {
      this.target = target;
      this.intervals = intervals;
      // What lies beyond the last address belongs to no packet.
      starts = Arrays.copyOf(firstAddresses(intervals), intervals.count() + 1);
      starts[intervals.count()] = Long.MAX_VALUE;
    }

    /** Below the mapped prefix of 96 bits, which the lowest interval may not have. */
    private static long[] firstAddresses(AddressIntervals intervals) {
      return intervals.starts().stream()
          .mapToLong(start -> Math.max(0, start.longValueExact() - (0xffffL << Integer.SIZE)))
          .toArray();
    }

    void run() {
      for (int first = 0; first < target.top.length; first++) {
        target.top[first] = middleTable((long) first * MIDDLE_ADDRESSES);
      }
      target.middle = Arrays.copyOf(target.middle, middleCount * FAN_OUT);
      target.last = Arrays.copyOf(target.last, lastCount * FAN_OUT);
    }

    private char middleTable(long from) {
      advanceTo(from);
      if (isUniform(from, MIDDLE_ADDRESSES)) {
        return uniformMiddle.computeIfAbsent(classHere(), _ -> newMiddle(from));
      }
      return newMiddle(from);
    }

    private char newMiddle(long from) {
      char number = (char) middleCount++;
      target.middle = withRoom(target.middle, middleCount);
      for (int i = 0; i < FAN_OUT; i++) {
        target.middle[number * FAN_OUT + i] = lastTable(from + (long) i * FAN_OUT);
      }
      return number;
    }

    private char lastTable(long from) {
      advanceTo(from);
      if (isUniform(from, FAN_OUT)) {
        return uniformLast.computeIfAbsent(classHere(), _ -> newLast(from));
      }
      return newLast(from);
    }

    private char newLast(long from) {
      char number = (char) lastCount++;
      target.last = withRoom(target.last, lastCount);
      for (int i = 0; i < FAN_OUT; i++) {
        advanceTo(from + i);
        target.last[number * FAN_OUT + i] = classHere();
      }
      return number;
    }

    private void advanceTo(long address) {
      while (starts[interval + 1] <= address) {
        interval++;
      }
    }

    private char classHere() {
      return intervals.classes()[interval];
    }

    private boolean isUniform(long from, int addresses) {
      return starts[interval + 1] >= from + addresses;
    }

    private static char[] withRoom(char[] tables, int count) {
      return count * FAN_OUT <= tables.length
          ? tables
          : Arrays.copyOf(tables, Math.max(2 * tables.length, count * FAN_OUT));
    }
  }
}
