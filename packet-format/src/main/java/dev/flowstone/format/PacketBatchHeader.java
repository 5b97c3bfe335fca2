// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketBatchHeaderLayout.*;

import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.BatchFlag;
import dev.flowstone.model.abi.PacketColumnsHeaderLayout;
import dev.flowstone.model.abi.PacketRecordLayout;

/**
 * What a batch says of all its packets.
 *
 * @param version of the message's layout
 * @param body how the packets are laid out in the message
 * @param count packets in the batch, 0 to 65535
 * @param ring ring the packets came from
 * @param stream names the ring's packets over restarts of the tap; {@link StreamNumber#UNKNOWN} in
 *     version 1
 * @param rule place of the rule that chose them among those in force, 1 for the first; 0 none
 * @param incarnation incarnation of that ring
 * @param firstPosition ring position of the first packet
 * @param positionSpan position of the last packet minus firstPosition; count - 1 when no packet
 *     between was left out
 * @param samplingWeight how many packets each packet stands for; 1 or more
 * @param timeBaseNs UTC nanoseconds that complete the records' 32-bit times
 * @param lossBefore packets of this stream lost between the previous batch and this one
 * @param clockTrusted whether the times are real
 */
public record PacketBatchHeader(
    int version,
    BodyKind body,
    int count,
    int ring,
    long stream,
    int rule,
    long incarnation,
    long firstPosition,
    long positionSpan,
    long samplingWeight,
    long timeBaseNs,
    PacketLoss lossBefore,
    boolean clockTrusted) {

  /** Full time of a record of this batch: UTC nanoseconds since 1970. */
  public long timeNs(int timeLow) {
    return timeBaseNs + (timeLow - (int) timeBaseNs);
  }

  /** Bytes of the header, where the body begins. */
  int lengthBytes() {
    return lengthBytes(version);
  }

  private static int lengthBytes(int version) {
    return version == VERSION_1 ? VERSION_1_BYTES : (int) SIZE_BYTES;
  }

  void write(byte[] message) {
    LittleEndian.INT.set(message, (int) MAGIC_OFFSET, MAGIC);
    LittleEndian.SHORT.set(message, (int) VERSION_OFFSET, (short) version);
    message[(int) BODY_KIND_OFFSET] = (byte) body.code();
    message[(int) RECORD_BYTES_OFFSET] = (byte) PacketRecordLayout.SIZE_BYTES;
    LittleEndian.INT.set(message, (int) COUNT_OFFSET, count);
    LittleEndian.SHORT.set(message, (int) RING_OFFSET, (short) ring);
    LittleEndian.SHORT.set(message, (int) RULE_OFFSET, (short) rule);
    LittleEndian.LONG.set(message, (int) INCARNATION_OFFSET, incarnation);
    LittleEndian.LONG.set(message, (int) FIRST_POSITION_OFFSET, firstPosition);
    LittleEndian.INT.set(message, (int) POSITION_SPAN_OFFSET, (int) positionSpan);
    LittleEndian.INT.set(message, (int) SAMPLING_WEIGHT_OFFSET, (int) samplingWeight);
    LittleEndian.LONG.set(message, (int) TIME_BASE_NS_OFFSET, timeBaseNs);
    LittleEndian.LONG.set(message, (int) LOST_BEFORE_OFFSET, lossBefore.inRing());
    LittleEndian.INT.set(message, (int) FLAGS_OFFSET, clockTrusted ? BatchFlag.CLOCK_TRUSTED : 0);
    LittleEndian.LONG.set(message, (int) STREAM_OFFSET, stream);
    LittleEndian.LONG.set(message, (int) LOST_BEFORE_TAP_OFFSET, lossBefore.beforeTap());
  }

  /**
   * Reads the header of a message whose checksum is known to be right, and refuses what this
   * version cannot mean.
   */
  static PacketBatchHeader read(byte[] message) {
    final int version = version(message);
    final boolean hasStream = version > VERSION_1;
    if (message.length < lengthBytes(version)) {
      throw new PacketBatchException(
          "header",
          "message of " + message.length + " bytes, a header has " + lengthBytes(version));
    }
    final int bodyCode = message[(int) BODY_KIND_OFFSET] & 0xff;
    final BodyKind body = BodyKind.ofCode(bodyCode);
    if (body == null) {
      throw new PacketBatchException("header.body_kind", "unknown body kind " + bodyCode);
    }
    final int recordBytes = message[(int) RECORD_BYTES_OFFSET] & 0xff;
    if (recordBytes != PacketRecordLayout.SIZE_BYTES) {
      throw new PacketBatchException(
          "header.record_bytes",
          "records of "
              + recordBytes
              + " bytes, this decoder knows "
              + PacketRecordLayout.SIZE_BYTES);
    }
    final long count = unsignedInt(message, COUNT_OFFSET);
    if (count > PacketColumnsHeaderLayout.MAX_PACKETS) {
      throw new PacketBatchException(
          "header.count", count + " packets, more than " + PacketColumnsHeaderLayout.MAX_PACKETS);
    }
    final long positionSpan = unsignedInt(message, POSITION_SPAN_OFFSET);
    if (positionSpan < count - 1) {
      throw new PacketBatchException(
          "header.position_span",
          count + " packets do not fit into " + (positionSpan + 1) + " positions");
    }
    final long samplingWeight = unsignedInt(message, SAMPLING_WEIGHT_OFFSET);
    if (samplingWeight == 0) {
      throw new PacketBatchException(
          "header.sampling_weight", "0 packets for each, where 1 is the least");
    }
    final int flags = (int) LittleEndian.INT.get(message, (int) FLAGS_OFFSET);
    if ((flags & ~BatchFlag.CLOCK_TRUSTED) != 0) {
      throw new PacketBatchException(
          "header.flags", "unknown flags 0x" + Integer.toHexString(flags));
    }
    return new PacketBatchHeader(
        version,
        body,
        (int) count,
        (short) LittleEndian.SHORT.get(message, (int) RING_OFFSET) & 0xffff,
        hasStream
            ? (long) LittleEndian.LONG.get(message, (int) STREAM_OFFSET)
            : StreamNumber.UNKNOWN,
        (short) LittleEndian.SHORT.get(message, (int) RULE_OFFSET) & 0xffff,
        (long) LittleEndian.LONG.get(message, (int) INCARNATION_OFFSET),
        (long) LittleEndian.LONG.get(message, (int) FIRST_POSITION_OFFSET),
        positionSpan,
        samplingWeight,
        (long) LittleEndian.LONG.get(message, (int) TIME_BASE_NS_OFFSET),
        new PacketLoss(
            count(message, "header.lost_before", LOST_BEFORE_OFFSET),
            hasStream ? count(message, "header.lost_before_tap", LOST_BEFORE_TAP_OFFSET) : 0),
        flags == BatchFlag.CLOCK_TRUSTED);
  }

  static int version(byte[] message) {
    return (short) LittleEndian.SHORT.get(message, (int) VERSION_OFFSET) & 0xffff;
  }

  private static long count(byte[] message, String place, long offset) {
    final long packets = (long) LittleEndian.LONG.get(message, (int) offset);
    if (packets < 0) {
      throw new PacketBatchException(place, packets + " packets");
    }
    return packets;
  }

  private static long unsignedInt(byte[] message, long offset) {
    return (int) LittleEndian.INT.get(message, (int) offset) & 0xffff_ffffL;
  }
}
