// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

import java.util.regex.Pattern;

/** Numbers and masks as rules write them. */
final class Bits {
  private static final Pattern NUMBER = Pattern.compile("0x[0-9a-fA-F]{1,4}|\\d{1,5}");

  private Bits() {}

  static void requireMasked(int value, int mask, int most) {
    if (value < 0 || value > most || mask < 0 || mask > most) {
      throw new IllegalArgumentException(
          "value and mask must be 0 to %d: %d/%#x".formatted(most, value, mask));
    }
    if ((value & ~mask) != 0) {
      throw new IllegalArgumentException(
          "%#x/%#x can never match: the value has bits that the mask leaves out"
              .formatted(value, mask));
    }
  }

  /** Reads {@code 0x10/0x1f}: value and mask. */
  static int[] parseMasked(String text, int most) {
    String[] both = text.split("/", -1);
    if (both.length != 2) {
      throw new IllegalArgumentException("not a value/mask, such as 0x10/0x1f: " + text);
    }
    return new int[] {parse(both[0], most, text), parse(both[1], most, text)};
  }

  /** Decimal or, after 0x, hexadecimal. */
  static int parse(String digits, int most, String text) {
    if (!NUMBER.matcher(digits).matches()) {
      throw new IllegalArgumentException("not a number of 0 to " + most + ": " + text);
    }
    int value = Integer.decode(digits.startsWith("0x") ? digits : withoutZeros(digits));
    if (value > most) {
      throw new IllegalArgumentException("must be 0 to " + most + ": " + text);
    }
    return value;
  }

  /** A leading zero would make it octal. */
  private static String withoutZeros(String decimal) {
    return decimal.replaceFirst("^0+(?=.)", "");
  }
}
