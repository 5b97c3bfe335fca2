// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/**
 * Gives each address another one, so that two addresses share as many leading bits afterwards as
 * before: Crypto-PAn, as Xu, Fan, Ammar and Moon defined it in 2002, and the same over 128 bits.
 *
 * <p>Of the key of 32 bytes the first half is that of AES-128; the second half, encrypted, is the
 * pad. Bit i of an address is flipped when AES answers with a set first bit to the pad with the
 * address's first i bits in place of its own. So a bit depends on the bits before it alone.
 *
 * <p>Costs a block of AES for each bit. One thread.
 */
final class PrefixCipher {
  private static final int BLOCK_BYTES = 16;

  private final Cipher aes;
  private final long padHigh;
  private final long padLow;
  private final ByteBuffer questions = ByteBuffer.allocate(128 * BLOCK_BYTES);
  private final byte[] answers = new byte[128 * BLOCK_BYTES];
  private long maskHigh;
  private long maskLow;

  PrefixCipher(byte[] key) {
    try {
      aes = Cipher.getInstance("AES/ECB/NoPadding");
      aes.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, 0, BLOCK_BYTES, "AES"));
      ByteBuffer pad =
          ByteBuffer.wrap(aes.doFinal(Arrays.copyOfRange(key, BLOCK_BYTES, 2 * BLOCK_BYTES)));
      padHigh = pad.getLong();
      padLow = pad.getLong();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has AES", e);
    }
  }

  int ipv4(int address) {
    ask(Integer.toUnsignedLong(address) << Integer.SIZE, 0, Integer.SIZE);
    return address ^ (int) (maskHigh >>> Integer.SIZE);
  }

  /** The upper half of the address is {@link #high}, the lower one {@link #low}. */
  void ipv6(long high, long low) {
    ask(high, low, 128);
    maskHigh ^= high;
    maskLow ^= low;
  }

  long high() {
    return maskHigh;
  }

  long low() {
    return maskLow;
  }

  /** Which of the first bits are flipped. */
  private void ask(long high, long low, int bits) {
    for (int bit = 0; bit < bits; bit++) {
      long knownHigh = leading(bit);
      long knownLow = leading(bit - Long.SIZE);
      questions.putLong(bit * BLOCK_BYTES, (high & knownHigh) | (padHigh & ~knownHigh));
      questions.putLong(bit * BLOCK_BYTES + Long.BYTES, (low & knownLow) | (padLow & ~knownLow));
    }
    encrypt(bits * BLOCK_BYTES);
    maskHigh = 0;
    maskLow = 0;
    for (int bit = 0; bit < bits; bit++) {
      long flip = (answers[bit * BLOCK_BYTES] >>> 7) & 1L;
      if (bit < Long.SIZE) {
        maskHigh |= flip << (Long.SIZE - 1 - bit);
      } else {
        maskLow |= flip << (2 * Long.SIZE - 1 - bit);
      }
    }
  }

  /** So many leading bits of a word; none if fewer, all if more. */
  private static long leading(int bits) {
    if (bits <= 0) {
      return 0;
    }
    return bits >= Long.SIZE ? -1L : -1L << (Long.SIZE - bits);
  }

  private void encrypt(int length) {
    try {
      aes.update(questions.array(), 0, length, answers);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("there is room for the answers", e);
    }
  }
}
