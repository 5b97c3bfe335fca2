// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import dev.flowstone.model.abi.RawPacketFlag;
import dev.flowstone.raw.MalformedCounts;
import dev.flowstone.raw.MalformedReason;
import dev.flowstone.raw.RawPacketBatch;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads pcapng files: sections, each with its own byte order and interfaces, of blocks.
 *
 * <pre>
 *   0      4              8                        length - 4
 *   | type | total length | body, padded to 4 ...  | total length |
 * </pre>
 *
 * <p>Packets are in Enhanced (6), Simple (3) and obsolete (2) Packet Blocks; all other blocks are
 * skipped. A Simple Packet Block has no time: its packet is untimed.
 */
final class PcapngReader extends CaptureReader {
  static final int SECTION_HEADER = 0x0A0D0D0A;
  static final int BYTE_ORDER_MAGIC = 0x1A2B3C4D;
  static final int INTERFACE_DESCRIPTION = 1;
  static final int OBSOLETE_PACKET = 2;
  static final int SIMPLE_PACKET = 3;
  static final int ENHANCED_PACKET = 6;

  /** Packets of interfaces beyond are counted and skipped. */
  static final int MAX_INTERFACES = 1 << 16;

  private static final int BLOCK_HEADER_BYTES = 8;
  private static final int BLOCK_TRAILER_BYTES = 4;
  private static final int SMALLEST_BLOCK_BYTES = BLOCK_HEADER_BYTES + BLOCK_TRAILER_BYTES;

  /** Obsolete and enhanced packet blocks: interface, time, captured and original length. */
  private static final int PACKET_HEADER_BYTES = 20;

  private static final int SIMPLE_PACKET_HEADER_BYTES = 4;

  private final List<CaptureInterface> interfaces = new ArrayList<>();
  private boolean bigEndian;

  PcapngReader(MappedCapture capture, MalformedCounts malformed) {
    super(capture, malformed);
  }

  static boolean recognises(MappedCapture capture) {
    return capture.size() >= SMALLEST_BLOCK_BYTES
        && capture.int32(0, false) == SECTION_HEADER
        && (isMagicAt(capture, 0, false) || isMagicAt(capture, 0, true));
  }

  private static boolean isMagicAt(MappedCapture capture, long section, boolean bigEndian) {
    return capture.int32(section + BLOCK_HEADER_BYTES, bigEndian) == BYTE_ORDER_MAGIC;
  }

  @Override
  void fill(RawPacketBatch batch, long shiftNs) {
    while (batch.hasRoom() && !atEnd()) {
      if (size - offset < SMALLEST_BLOCK_BYTES) {
        stop(MalformedReason.CUT_SHORT);
        return;
      }
      // The type of a section header reads the same in both byte orders.
      int type = capture.int32(offset, bigEndian);
      if (type == SECTION_HEADER && !beginSection()) {
        stop(MalformedReason.BAD_SECTION);
        return;
      }
      long blockBytes = capture.unsignedInt(offset + 4, bigEndian);
      if (!isSound(blockBytes)) {
        return;
      }
      long body = offset + BLOCK_HEADER_BYTES;
      long bodyEnd = offset + blockBytes - BLOCK_TRAILER_BYTES;
      readBlock(type, body, bodyEnd, batch, shiftNs);
      offset = Math.min(size, offset + blockBytes);
    }
  }

  private boolean beginSection() {
    bigEndian = isMagicAt(capture, offset, true);
    interfaces.clear();
    return bigEndian || isMagicAt(capture, offset, false);
  }

  private boolean isSound(long blockBytes) {
    if (blockBytes < SMALLEST_BLOCK_BYTES) {
      stop(MalformedReason.BAD_LENGTH);
      return false;
    }
    if (blockBytes > size - offset) {
      stop(MalformedReason.CUT_SHORT);
      return false;
    }
    long trailer = offset + blockBytes - BLOCK_TRAILER_BYTES;
    if (capture.unsignedInt(trailer, bigEndian) != blockBytes) {
      stop(MalformedReason.BAD_LENGTH);
      return false;
    }
    return true;
  }

  private void readBlock(int type, long body, long end, RawPacketBatch batch, long shiftNs) {
    switch (type) {
      case ENHANCED_PACKET -> readPacket(body, end, true, batch, shiftNs);
      case OBSOLETE_PACKET -> readPacket(body, end, false, batch, shiftNs);
      case SIMPLE_PACKET -> readSimplePacket(body, end, batch, shiftNs);
      case INTERFACE_DESCRIPTION -> readInterface(body, end);
      default -> skipped++;
    }
  }

  private void readInterface(long body, long end) {
    skipped++;
    if (end - body < CaptureInterface.DESCRIPTION_BYTES) {
      note(MalformedReason.BAD_LENGTH, offset);
    } else if (interfaces.size() == MAX_INTERFACES) {
      note(MalformedReason.TOO_MANY_INTERFACES, offset);
    } else {
      interfaces.add(CaptureInterface.read(capture, bigEndian, body, end));
    }
  }

  private void readPacket(
      long body, long end, boolean enhanced, RawPacketBatch batch, long shiftNs) {
    if (end - body < PACKET_HEADER_BYTES) {
      note(MalformedReason.PACKET_OUTSIDE_BLOCK, offset);
      return;
    }
    long capturedBytes = capture.unsignedInt(body + 12, bigEndian);
    if (!fits(capturedBytes, end - body - PACKET_HEADER_BYTES)) {
      return;
    }
    CaptureInterface origin =
        interfaceAt(
            enhanced
                ? capture.unsignedInt(body, bigEndian)
                : capture.unsignedShort(body, bigEndian));
    if (origin == null) {
      return;
    }
    long ticks =
        (capture.unsignedInt(body + 4, bigEndian) << Integer.SIZE)
            | capture.unsignedInt(body + 8, bigEndian);
    latestTimeNs = origin.clock().timeNs(ticks);
    batch.append(
        body + PACKET_HEADER_BYTES,
        latestTimeNs + shiftNs,
        (int) capturedBytes,
        capture.int32(body + 16, bigEndian),
        origin.linkType(),
        0);
  }

  private void readSimplePacket(long body, long end, RawPacketBatch batch, long shiftNs) {
    CaptureInterface origin = interfaceAt(0);
    if (origin == null) {
      return;
    }
    if (end - body < SIMPLE_PACKET_HEADER_BYTES) {
      note(MalformedReason.PACKET_OUTSIDE_BLOCK, offset);
      return;
    }
    long wireBytes = capture.unsignedInt(body, bigEndian);
    long capturedBytes = wireBytes;
    if (origin.snapLengthBytes() != 0) {
      capturedBytes = Math.min(capturedBytes, origin.snapLengthBytes());
    }
    if (!fits(capturedBytes, end - body - SIMPLE_PACKET_HEADER_BYTES)) {
      return;
    }
    batch.append(
        body + SIMPLE_PACKET_HEADER_BYTES,
        latestTimeNs + shiftNs,
        (int) capturedBytes,
        (int) wireBytes,
        origin.linkType(),
        RawPacketFlag.UNTIMED);
  }

  private boolean fits(long capturedBytes, long roomBytes) {
    if (capturedBytes > MAX_PACKET_BYTES) {
      note(MalformedReason.TOO_LONG, offset);
    } else if (capturedBytes > roomBytes) {
      note(MalformedReason.PACKET_OUTSIDE_BLOCK, offset);
    }
    return capturedBytes <= MAX_PACKET_BYTES && capturedBytes <= roomBytes;
  }

  private CaptureInterface interfaceAt(long index) {
    if (index >= interfaces.size()) {
      note(MalformedReason.UNKNOWN_INTERFACE, offset);
      return null;
    }
    return interfaces.get((int) index);
  }

  @Override
  void rewind() {
    offset = 0;
    latestTimeNs = 0;
    interfaces.clear();
  }
}
