// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model.abi;

/** Raw packet descriptor. */
public final class RawPacketLayout {
  public static final long SIZE_BYTES = 32;
  public static final long DATA_OFFSET_OFFSET = 0;
  public static final long TIME_NS_OFFSET = 8;
  public static final long CAPTURED_BYTES_OFFSET = 16;
  public static final long WIRE_BYTES_OFFSET = 20;
  public static final long LINK_TYPE_OFFSET = 24;
  public static final long FLAGS_OFFSET = 26;
  public static final long RESERVED_28_OFFSET = 28;
  public static final int RESERVED_28_LENGTH = 4;

  private RawPacketLayout() {}
}
