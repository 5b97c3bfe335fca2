// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.raw;

/** Packets that were lost before the tap saw them: how many, and how many nobody was told of. */
public final class LossTally {
  private long total;
  private long told;

  public void add(long packets) {
    total += packets;
  }

  /** All of them, told or not. */
  public long total() {
    return total;
  }

  /** Those that were not taken before. */
  public long take() {
    long untold = total - told;
    told = total;
    return untold;
  }
}
