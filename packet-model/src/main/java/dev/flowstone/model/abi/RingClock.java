// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model.abi;

/** Where the times in a ring come from. */
public final class RingClock {
  public static final int WALL = 1;
  public static final int CAPTURE = 2;
  public static final int SYNTHETIC = 3;

  private RingClock() {}
}
