// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model.abi;

/** Ring target. */
public final class RingTargetLayout {
  public static final long SIZE_BYTES = 64;
  public static final long SLOTS_ADDRESS_OFFSET = 0;
  public static final long POSITION_OFFSET = 8;
  public static final long LIMIT_OFFSET = 16;
  public static final long TIME_BASE_NS_OFFSET = 24;
  public static final long SLOTS_LOG2_OFFSET = 32;
  public static final long NEEDS_TIME_OFFSET = 36;
  public static final long UNTIMED_OFFSET = 40;
  public static final long SATURATED_LENGTHS_OFFSET = 44;
  public static final long WRITTEN_PACKETS_OFFSET = 48;
  public static final long WRITTEN_BYTES_OFFSET = 56;

  private RingTargetLayout() {}
}
