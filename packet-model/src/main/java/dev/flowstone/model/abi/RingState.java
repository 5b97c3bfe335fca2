// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model.abi;

/** Whether more will come. */
public final class RingState {
  public static final int OPEN = 0;
  public static final int ENDED = 1;

  private RingState() {}
}
