// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model.abi;

/** Reader lane. */
public final class RingLaneLayout {
  public static final long SIZE_BYTES = 128;
  public static final long CLAIM_OFFSET = 0;
  public static final int RELEASED_POSITION_SHIFT = 0;
  public static final long RELEASED_POSITION_MASK = 0xffffffffffffL;
  public static final int MODE_SHIFT = 48;
  public static final long MODE_MASK = 0x3L;
  public static final int EPOCH_SHIFT = 50;
  public static final long EPOCH_MASK = 0x3fffL;
  public static final long RESERVED_8_OFFSET = 8;
  public static final int RESERVED_8_LENGTH = 56;
  public static final long CLAIMED_NS_OFFSET = 64;
  public static final long READER_PID_OFFSET = 72;
  public static final long RESERVED_76_OFFSET = 76;
  public static final int RESERVED_76_LENGTH = 4;
  public static final long NAME_OFFSET = 80;
  public static final int NAME_LENGTH = 48;

  private RingLaneLayout() {}
}
