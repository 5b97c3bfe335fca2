// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model.abi;

/** Ring file header. */
public final class RingFileHeaderLayout {
  public static final long SIZE_BYTES = 65536;
  public static final long MAGIC = 0x474e4952574f4c46L;
  public static final int ABI_VERSION = 1;
  public static final int HEADER_BYTES = 65536;
  public static final int MAX_KEY_GROUPS = 32768;
  public static final int MAX_RINGS = 256;
  public static final int LANE_COUNT = 8;
  public static final int CONTROL_INDEX_ENTRIES = 256;
  public static final int LINEAGE_ENTRIES = 8;
  public static final int RESERVED_SLOTS = 4;
  public static final long MAGIC_OFFSET = 0;
  public static final long ABI_VERSION_OFFSET = 8;
  public static final long CONTENT_OFFSET = 12;
  public static final long RING_OFFSET = 16;
  public static final long RING_COUNT_OFFSET = 20;
  public static final long INCARNATION_OFFSET = 24;
  public static final long SLOTS_LOG2_OFFSET = 32;
  public static final long CLOCK_OFFSET = 36;
  public static final long MAX_PARALLELISM_OFFSET = 40;
  public static final long LINEAGE_COUNT_OFFSET = 44;
  public static final long CREATED_NS_OFFSET = 48;
  public static final long PRODUCER_PID_OFFSET = 56;
  public static final long RESERVED_60_OFFSET = 60;
  public static final int RESERVED_60_LENGTH = 4;
  public static final long TAP_NAME_OFFSET = 64;
  public static final int TAP_NAME_LENGTH = 64;
  public static final long POSITION_OFFSET = 128;
  public static final long RESERVED_POSITION_OFFSET = 136;
  public static final long CONTROL_COUNT_OFFSET = 144;
  public static final long STATE_OFFSET = 152;
  public static final long RESERVED_156_OFFSET = 156;
  public static final int RESERVED_156_LENGTH = 36;
  public static final long OFFERED_PACKETS_OFFSET = 192;
  public static final long WRITTEN_PACKETS_OFFSET = 200;
  public static final long DROPPED_PACKETS_OFFSET = 208;
  public static final long LOST_RECORDED_OFFSET = 216;
  public static final long SATURATED_LENGTHS_OFFSET = 224;
  public static final long LATEST_TIME_NS_OFFSET = 232;
  public static final long OFFERED_BYTES_OFFSET = 240;
  public static final long RESERVED_248_OFFSET = 248;
  public static final int RESERVED_248_LENGTH = 72;
  public static final long LINEAGE_OFFSET = 320;
  public static final int LINEAGE_COUNT = 8;
  public static final long LANES_OFFSET = 448;
  public static final int LANES_COUNT = 8;
  public static final long RESERVED_1472_OFFSET = 1472;
  public static final int RESERVED_1472_LENGTH = 576;
  public static final long CONTROL_INDEX_OFFSET = 2048;
  public static final int CONTROL_INDEX_COUNT = 256;
  public static final long KEY_GROUP_TABLE_OFFSET = 4096;
  public static final int KEY_GROUP_TABLE_COUNT = 32768;
  public static final long RESERVED_36864_OFFSET = 36864;
  public static final int RESERVED_36864_LENGTH = 28672;

  private RingFileHeaderLayout() {}
}
