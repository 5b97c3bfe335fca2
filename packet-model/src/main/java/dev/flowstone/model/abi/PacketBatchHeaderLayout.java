// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model.abi;

/** Packet batch header. */
public final class PacketBatchHeaderLayout {
  public static final long SIZE_BYTES = 64;
  public static final int MAGIC = 0x42505346;
  public static final int VERSION = 1;
  public static final long MAGIC_OFFSET = 0;
  public static final long VERSION_OFFSET = 4;
  public static final long BODY_KIND_OFFSET = 6;
  public static final long RECORD_BYTES_OFFSET = 7;
  public static final long COUNT_OFFSET = 8;
  public static final long RING_OFFSET = 12;
  public static final long RULE_OFFSET = 14;
  public static final long INCARNATION_OFFSET = 16;
  public static final long FIRST_POSITION_OFFSET = 24;
  public static final long POSITION_SPAN_OFFSET = 32;
  public static final long SAMPLING_WEIGHT_OFFSET = 36;
  public static final long TIME_BASE_NS_OFFSET = 40;
  public static final long LOST_BEFORE_OFFSET = 48;
  public static final long FLAGS_OFFSET = 56;
  public static final long CHECKSUM_OFFSET = 60;

  private PacketBatchHeaderLayout() {}
}
