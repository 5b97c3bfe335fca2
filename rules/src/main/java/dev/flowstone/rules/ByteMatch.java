// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

/** Values of a byte whose bits under the mask are those of the value. */
public record ByteMatch(int value, int mask) {
  public static final int MOST = 0xff;

  /** Every value. */
  public static final ByteMatch ANY = new ByteMatch(0, 0);

  public ByteMatch {
    Bits.requireMasked(value, mask, MOST);
  }

  /** This value alone. */
  public static ByteMatch exactly(int value) {
    return new ByteMatch(value, MOST);
  }

  /** Reads {@code 184}, {@code 0xb8} or {@code 0xb8/0xfc}. */
  public static ByteMatch parse(String text) {
    if (!text.contains("/")) {
      return exactly(Bits.parse(text, MOST, text));
    }
    int[] masked = Bits.parseMasked(text, MOST);
    return new ByteMatch(masked[0], masked[1]);
  }

  public boolean matches(int number) {
    return (number & mask) == value;
  }

  /** Whether all values of the other are among these. */
  public boolean covers(ByteMatch other) {
    return (mask & ~other.mask) == 0 && matches(other.value);
  }

  /** Whether there is a value of both. */
  public boolean overlaps(ByteMatch other) {
    return ((value ^ other.value) & mask & other.mask) == 0;
  }

  @Override
  public String toString() {
    return mask == MOST ? Integer.toString(value) : "0x%02x/0x%02x".formatted(value, mask);
  }
}
