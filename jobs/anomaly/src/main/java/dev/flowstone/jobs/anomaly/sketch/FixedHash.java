// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.sketch;

/**
 * A hash that is the same in every process and run: what was summed up before a restart goes on
 * with what comes after it. So it is public, and a sender who wants to can make its addresses look
 * like fewer; tables, which a sender could slow down, take another.
 */
public final class FixedHash {
  private static final long BEGIN = 0x9E37_79B9_7F4A_7C15L;
  private static final long FIRST = 0xFF51_AFD7_ED55_8CCDL;
  private static final long SECOND = 0xC4CE_B9FE_1A85_EC53L;

  private FixedHash() {}

  public static long of(long word) {
    return mix(BEGIN ^ word);
  }

  /** Of several words: {@code and(and(of(a), b), c)}. */
  public static long and(long hash, long word) {
    return mix(hash * BEGIN + word);
  }

  /** Each bit of the word changes each of the result as often as not. */
  private static long mix(long word) {
    long mixed = (word ^ word >>> 33) * FIRST;
    mixed = (mixed ^ mixed >>> 33) * SECOND;
    return mixed ^ mixed >>> 33;
  }
}
