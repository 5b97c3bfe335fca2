// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model.abi;

/** Packet record. */
public final class PacketRecordLayout {
  public static final long SIZE_BYTES = 64;
  public static final long TIME_LOW_OFFSET = 0;
  public static final long FLOW_HASH_OFFSET = 4;
  public static final long SOURCE_ADDRESS_OFFSET = 8;
  public static final int SOURCE_ADDRESS_LENGTH = 16;
  public static final long DESTINATION_ADDRESS_OFFSET = 24;
  public static final int DESTINATION_ADDRESS_LENGTH = 16;
  public static final long SOURCE_PORT_OFFSET = 40;
  public static final long DESTINATION_PORT_OFFSET = 42;
  public static final long SEQUENCE_OFFSET = 44;
  public static final long ACKNOWLEDGEMENT_OFFSET = 48;
  public static final long TCP_WINDOW_OFFSET = 52;
  public static final long PAYLOAD_LENGTH_OFFSET = 54;
  public static final long PROTOCOL_OFFSET = 56;
  public static final long TCP_FLAGS_OFFSET = 57;
  public static final long TYPE_OF_SERVICE_OFFSET = 58;
  public static final long TIME_TO_LIVE_OFFSET = 59;
  public static final long DESCRIPTOR_OFFSET = 60;
  public static final int FRAME_LENGTH_SHIFT = 0;
  public static final int FRAME_LENGTH_MASK = 0x7ffff;
  public static final int TRAFFIC_CLASS_SHIFT = 19;
  public static final int TRAFFIC_CLASS_MASK = 0x1f;
  public static final int LATER_FRAGMENT_SHIFT = 24;
  public static final int LATER_FRAGMENT_MASK = 0x1;
  public static final int INGRESS_PORT_SHIFT = 25;
  public static final int INGRESS_PORT_MASK = 0x1;
  public static final int KIND_SHIFT = 26;
  public static final int KIND_MASK = 0x7;
  public static final int GENERATION_SHIFT = 29;
  public static final int GENERATION_MASK = 0x7;

  private PacketRecordLayout() {}
}
