// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.card;

import dev.flowstone.model.abi.CardRuleKeyLayout;
import java.util.Arrays;

/** Which bits of a card's key are looked at, and what they have to be. A value. */
final class Ternary {
  /** Every packet. */
  static final Ternary EVERY = new Ternary();

  private final byte[] value;
  private final byte[] mask;

  private Ternary() {
    value = new byte[(int) CardRuleKeyLayout.SIZE_BYTES];
    mask = new byte[(int) CardRuleKeyLayout.SIZE_BYTES];
  }

  private Ternary(Ternary other) {
    value = other.value.clone();
    mask = other.mask.clone();
  }

  /** The same with a number of some bytes in network order. */
  Ternary withNetwork(long offset, int lengthBytes, long number, long numberMask) {
    Ternary more = new Ternary(this);
    for (int i = 0; i < lengthBytes; i++) {
      int shift = Byte.SIZE * (lengthBytes - 1 - i);
      more.put((int) offset + i, (byte) (number >>> shift), (byte) (numberMask >>> shift));
    }
    return more;
  }

  /** The same with a number of some bytes, the lowest first. */
  Ternary with(long offset, int lengthBytes, int number, int numberMask) {
    Ternary more = new Ternary(this);
    for (int i = 0; i < lengthBytes; i++) {
      int shift = Byte.SIZE * i;
      more.put((int) offset + i, (byte) (number >>> shift), (byte) (numberMask >>> shift));
    }
    return more;
  }

  private void put(int at, byte bits, byte bitsMask) {
    value[at] |= (byte) (bits & bitsMask);
    mask[at] |= bitsMask;
  }

  /**
   * Whether no packet meets this that has such bytes from an offset on.
   *
   * @param network the bytes as a number in network order
   */
  boolean contradicts(long offset, long network) {
    for (int i = 0; i < Long.BYTES; i++) {
      int at = (int) offset + i;
      byte each = (byte) (network >>> (Byte.SIZE * (Long.BYTES - 1 - i)));
      if ((byte) (each & mask[at]) != value[at]) {
        return true;
      }
    }
    return false;
  }

  /** Whether a bit that has to be 1 is among these bytes. */
  boolean wantsOneIn(long offset, int lengthBytes) {
    return !isZero(Arrays.copyOfRange(value, (int) offset, (int) offset + lengthBytes));
  }

  private static boolean isZero(byte[] bytes) {
    for (byte each : bytes) {
      if (each != 0) {
        return false;
      }
    }
    return true;
  }

  CardRule rule(int trafficClass, boolean drops) {
    return new CardRule(value, mask, trafficClass, drops);
  }
}
