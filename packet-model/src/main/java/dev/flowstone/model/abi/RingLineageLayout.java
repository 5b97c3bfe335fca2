// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model.abi;

/** Earlier incarnation. */
public final class RingLineageLayout {
  public static final long SIZE_BYTES = 16;
  public static final long INCARNATION_OFFSET = 0;
  public static final long OFFERED_PACKETS_OFFSET = 8;

  private RingLineageLayout() {}
}
