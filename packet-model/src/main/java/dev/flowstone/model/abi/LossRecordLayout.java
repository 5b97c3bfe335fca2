// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model.abi;

/** LOSS record. */
public final class LossRecordLayout {
  public static final long SIZE_BYTES = 64;
  public static final long LOST_PACKETS_OFFSET = 0;
  public static final long FIRST_LOST_NS_OFFSET = 8;
  public static final long LAST_LOST_NS_OFFSET = 16;
  public static final long DROPPED_PACKETS_OFFSET = 24;
  public static final long RESERVED_32_OFFSET = 32;
  public static final int RESERVED_32_LENGTH = 28;
  public static final long DESCRIPTOR_OFFSET = 60;

  private LossRecordLayout() {}
}
