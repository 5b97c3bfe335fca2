// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

import java.util.List;
import java.util.stream.Collectors;

/** Ports, as a packet's record has them: 0 where there is none. */
public sealed interface PortMatch {
  int MOST_PORT = 0xffff;

  boolean matches(int port);

  /** Whether all ports of the other are among these; false where that takes work to find out. */
  boolean covers(PortMatch other);

  /** From one port to another, both included. */
  record Range(int first, int last) {
    public Range {
      if (first < 0 || last > MOST_PORT || first > last) {
        throw new IllegalArgumentException(
            "ports must be 0 to 65535, the lower one first: " + first + "-" + last);
      }
    }

    boolean contains(int port) {
      return first <= port && port <= last;
    }

    @Override
    public String toString() {
      return first == last ? Integer.toString(first) : first + "-" + last;
    }
  }

  /** The ports of some ranges. */
  record Ranges(List<Range> ranges) implements PortMatch {
    /** More are another rule's. */
    public static final int MOST_RANGES = 64;

    public Ranges {
      ranges = List.copyOf(ranges);
      if (ranges.isEmpty() || ranges.size() > MOST_RANGES) {
        throw new IllegalArgumentException(
            "1 to " + MOST_RANGES + " ports or ranges: " + ranges.size());
      }
    }

    @Override
    public boolean matches(int port) {
      return ranges.stream().anyMatch(range -> range.contains(port));
    }

    @Override
    public boolean covers(PortMatch other) {
      return other instanceof Ranges(List<Range> theirs)
          && theirs.stream().allMatch(this::coversInOne);
    }

    private boolean coversInOne(Range range) {
      return ranges.stream().anyMatch(mine -> mine.first <= range.first && range.last <= mine.last);
    }

    @Override
    public String toString() {
      return ranges.stream().map(Range::toString).collect(Collectors.joining(","));
    }
  }

  /** Ports whose bits under the mask are those of the value. */
  record Masked(int value, int mask) implements PortMatch {
    public Masked {
      Bits.requireMasked(value, mask, MOST_PORT);
    }

    @Override
    public boolean matches(int port) {
      return (port & mask) == value;
    }

    @Override
    public boolean covers(PortMatch other) {
      return other instanceof Masked(int theirs, int theirMask)
          && (mask & ~theirMask) == 0
          && matches(theirs);
    }

    @Override
    public String toString() {
      return "0x%04x/0x%04x".formatted(value, mask);
    }
  }

  /** One port or range. */
  static PortMatch range(int first, int last) {
    return new Ranges(List.of(new Range(first, last)));
  }

  /** Reads {@code 53}, {@code 1024-65535} or {@code 0x35/0xff}. */
  static PortMatch parse(String text) {
    if (text.contains("/")) {
      int[] masked = Bits.parseMasked(text, MOST_PORT);
      return new Masked(masked[0], masked[1]);
    }
    return new Ranges(List.of(parseRange(text)));
  }

  /** Reads {@code 53} or {@code 1024-65535}. */
  static Range parseRange(String text) {
    String[] ends = text.split("-", -1);
    if (ends.length > 2) {
      throw new IllegalArgumentException("not a port or range, such as 53 or 1024-65535: " + text);
    }
    return new Range(
        Bits.parse(ends[0], MOST_PORT, text), Bits.parse(ends[ends.length - 1], MOST_PORT, text));
  }
}
