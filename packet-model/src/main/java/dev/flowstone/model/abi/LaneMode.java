// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model.abi;

/** What a reader asks of the producer. */
public final class LaneMode {
  public static final int FREE = 0;
  public static final int GATING = 1;
  public static final int OBSERVING = 2;

  private LaneMode() {}
}
