// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model.abi;

/** TIME record. */
public final class TimeRecordLayout {
  public static final long SIZE_BYTES = 64;
  public static final long TIME_NS_OFFSET = 0;
  public static final long OFFERED_PACKETS_OFFSET = 8;
  public static final long WRITTEN_PACKETS_OFFSET = 16;
  public static final long DROPPED_PACKETS_OFFSET = 24;
  public static final long CLOCK_TRUSTED_OFFSET = 32;
  public static final long RESERVED_36_OFFSET = 36;
  public static final int RESERVED_36_LENGTH = 24;
  public static final long DESCRIPTOR_OFFSET = 60;

  private TimeRecordLayout() {}
}
