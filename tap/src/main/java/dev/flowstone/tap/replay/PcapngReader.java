// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import dev.flowstone.model.abi.RawPacketFlag;
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
 * <p>Packets are in Enhanced (6), Simple (3) and obsolete (2) Packet Blocks; of all other blocks
 * only interfaces (1) and what they lost (5) is read. A Simple Packet Block has no time: its packet
 * is untimed.
 */
final class PcapngReader extends CaptureReader {
  static final int SECTION_HEADER = 0x0A0D0D0A;
  static final int BYTE_ORDER_MAGIC = 0x1A2B3C4D;
  static final int INTERFACE_DESCRIPTION = 1;
  static final int OBSOLETE_PACKET = 2;
  static final int SIMPLE_PACKET = 3;
  static final int INTERFACE_STATISTICS = 5;
  static final int ENHANCED_PACKET = 6;

  /** {@code epb_flags}; the obsolete block has the same. */
  static final int OPTION_PACKET_FLAGS = 2;

  /** {@code epb_dropcount}: packets lost before this one. */
  static final int OPTION_PACKET_DROPS = 4;

  /** {@code isb_ifdrop}: packets that the interface dropped since the capture began. */
  static final int OPTION_INTERFACE_DROPS = 5;

  /** {@code isb_osdrop}: packets that the operating system dropped since the capture began. */
  static final int OPTION_SYSTEM_DROPS = 7;

  /** An obsolete packet block does not know how many were lost before it. */
  private static final int UNKNOWN_DROPS = 0xFFFF;

  /** Packets of interfaces beyond are counted and skipped. */
  static final int MAX_INTERFACES = 1 << 16;

  private static final int BLOCK_HEADER_BYTES = 8;
  private static final int BLOCK_TRAILER_BYTES = 4;
  private static final int SMALLEST_BLOCK_BYTES = BLOCK_HEADER_BYTES + BLOCK_TRAILER_BYTES;

  /** Obsolete and enhanced packet blocks: interface, time, captured and original length. */
  private static final int PACKET_HEADER_BYTES = 20;

  private static final int SIMPLE_PACKET_HEADER_BYTES = 4;

  /** Interface statistics: interface, time. */
  private static final int STATISTICS_HEADER_BYTES = 12;

  private final List<CaptureInterface> interfaces = new ArrayList<>();
  private boolean bigEndian;

  PcapngReader(CaptureFile capture, CaptureCounts counts) {
    super(capture, counts);
  }

  static boolean recognises(CaptureFile capture) {
    return capture.size() >= SMALLEST_BLOCK_BYTES
        && capture.int32(0, false) == SECTION_HEADER
        && (isMagicAt(capture, 0, false) || isMagicAt(capture, 0, true));
  }

  private static boolean isMagicAt(CaptureFile capture, long section, boolean bigEndian) {
    return capture.int32(section + BLOCK_HEADER_BYTES, bigEndian) == BYTE_ORDER_MAGIC;
  }

  @Override
  long walk(RawPacketBatch batch, long shiftNs) {
    while (batch.hasRoom() && !atEnd()) {
      if (!capture.holds(offset, SMALLEST_BLOCK_BYTES)) {
        return SMALLEST_BLOCK_BYTES;
      }
      // The type of a section header reads the same in both byte orders.
      int type = capture.int32(offset, bigEndian);
      if (type == SECTION_HEADER && !beginSection()) {
        return stop(MalformedReason.BAD_SECTION);
      }
      long blockBytes = capture.unsignedInt(offset + 4, bigEndian);
      if (blockBytes < SMALLEST_BLOCK_BYTES) {
        return stop(MalformedReason.BAD_LENGTH);
      }
      if (blockBytes > size - offset) {
        return stop(MalformedReason.CUT_SHORT);
      }
      long neededBytes = neededBytes(type, blockBytes);
      if (!capture.holds(offset, neededBytes)) {
        return neededBytes;
      }
      if (!endsSoundly(blockBytes)) {
        return stop(MalformedReason.BAD_LENGTH);
      }
      long end = offset + Math.min(blockBytes - BLOCK_TRAILER_BYTES, neededBytes);
      if (!readBlock(type, offset + BLOCK_HEADER_BYTES, end, batch, shiftNs)) {
        return neededBytes;
      }
      offset += blockBytes;
    }
    return DONE;
  }

  /** Of a block that is skipped, or goes on behind all that is read, not all is needed. */
  private static long neededBytes(int type, long blockBytes) {
    return switch (type) {
      case ENHANCED_PACKET,
          OBSOLETE_PACKET,
          SIMPLE_PACKET,
          INTERFACE_STATISTICS,
          INTERFACE_DESCRIPTION ->
          Math.min(blockBytes, CaptureWindow.MOST_BYTES);
      default -> SMALLEST_BLOCK_BYTES;
    };
  }

  private boolean beginSection() {
    bigEndian = isMagicAt(capture, offset, true);
    interfaces.clear();
    return bigEndian || isMagicAt(capture, offset, false);
  }

  private boolean endsSoundly(long blockBytes) {
    long trailer = offset + blockBytes - BLOCK_TRAILER_BYTES;
    return Integer.toUnsignedLong(capture.int32Anywhere(trailer, bigEndian)) == blockBytes;
  }

  /** False: the block must wait for the next batch. */
  private boolean readBlock(int type, long body, long end, RawPacketBatch batch, long shiftNs) {
    return switch (type) {
      case ENHANCED_PACKET -> readPacket(body, end, true, batch, shiftNs);
      case OBSOLETE_PACKET -> readPacket(body, end, false, batch, shiftNs);
      case SIMPLE_PACKET -> readSimplePacket(body, end, batch, shiftNs);
      case INTERFACE_STATISTICS -> readStatistics(body, end, batch);
      case INTERFACE_DESCRIPTION -> readInterface(body, end);
      default -> skip();
    };
  }

  private boolean skip() {
    counts.skipped++;
    return true;
  }

  private boolean readInterface(long body, long end) {
    if (end - body < CaptureInterface.DESCRIPTION_BYTES) {
      note(MalformedReason.BAD_LENGTH, offset);
    } else if (interfaces.size() == MAX_INTERFACES) {
      note(MalformedReason.TOO_MANY_INTERFACES, offset);
    } else {
      interfaces.add(CaptureInterface.read(capture, bigEndian, body, end));
    }
    return skip();
  }

  /** What the interface and the operating system dropped since the capture began. */
  private boolean readStatistics(long body, long end, RawPacketBatch batch) {
    if (end - body < STATISTICS_HEADER_BYTES) {
      note(MalformedReason.BAD_LENGTH, offset);
      return skip();
    }
    if (batch.count() > 0) {
      return false; // what it tells of stands before the packets of a batch, and is told once
    }
    CaptureInterface origin = interfaceAt(capture.unsignedInt(body, bigEndian));
    if (origin == null) {
      return skip();
    }
    long options = body + STATISTICS_HEADER_BYTES;
    long lost =
        lostBy(options, end, OPTION_INTERFACE_DROPS) + lostBy(options, end, OPTION_SYSTEM_DROPS);
    if (lost > 0) {
      counts.losses.add(origin.losses().tellTotal(lost));
    }
    return skip();
  }

  /** The count in an option of 8 bytes; 0 without it. */
  private long lostBy(long options, long end, int code) {
    long value = BlockOptions.find(capture, bigEndian, options, end, code, Long.BYTES);
    if (value == BlockOptions.ABSENT) {
      return 0;
    }
    long lost = capture.int64(value, bigEndian);
    if (lost < 0 || lost > MAX_LOST_PACKETS) {
      note(MalformedReason.IMPOSSIBLE_LOSS, offset);
      return 0;
    }
    return lost;
  }

  private boolean readPacket(
      long body, long end, boolean enhanced, RawPacketBatch batch, long shiftNs) {
    if (end - body < PACKET_HEADER_BYTES) {
      note(MalformedReason.PACKET_OUTSIDE_BLOCK, offset);
      return true;
    }
    long frame = body + PACKET_HEADER_BYTES;
    long capturedBytes = capture.unsignedInt(body + 12, bigEndian);
    if (!fits(capturedBytes, end - frame)) {
      return true;
    }
    CaptureInterface origin =
        interfaceAt(
            enhanced
                ? capture.unsignedInt(body, bigEndian)
                : capture.unsignedShort(body, bigEndian));
    if (origin == null) {
      return true;
    }
    long options = frame + ((capturedBytes + 3) & ~3);
    long lost = enhanced ? lostBy(options, end, OPTION_PACKET_DROPS) : obsoleteDrops(body);
    if (lost > 0 && batch.count() > 0) {
      return false;
    }
    if (lost > 0) {
      counts.losses.add(origin.losses().tell(lost));
    }
    long ticks =
        (capture.unsignedInt(body + 4, bigEndian) << Integer.SIZE)
            | capture.unsignedInt(body + 8, bigEndian);
    latestTimeNs = origin.clock().timeNs(ticks);
    append(
        batch,
        frame,
        latestTimeNs + shiftNs,
        capturedBytes,
        capture.unsignedInt(body + 16, bigEndian),
        checkSequenceBytes(origin, options, end),
        origin.linkType(),
        0);
    return true;
  }

  /** A packet's own length precedes that of its interface. */
  private int checkSequenceBytes(CaptureInterface origin, long options, long end) {
    long flags =
        BlockOptions.find(capture, bigEndian, options, end, OPTION_PACKET_FLAGS, Integer.BYTES);
    int ownBytes =
        flags == BlockOptions.ABSENT
            ? 0
            : FrameCheckSequence.bytesOfPacketFlags(capture.int32(flags, bigEndian));
    return ownBytes > 0 ? ownBytes : origin.checkSequenceBytes();
  }

  private long obsoleteDrops(long body) {
    int drops = capture.unsignedShort(body + 2, bigEndian);
    return drops == UNKNOWN_DROPS ? 0 : drops;
  }

  private boolean readSimplePacket(long body, long end, RawPacketBatch batch, long shiftNs) {
    CaptureInterface origin = interfaceAt(0);
    if (origin == null) {
      return true;
    }
    if (end - body < SIMPLE_PACKET_HEADER_BYTES) {
      note(MalformedReason.PACKET_OUTSIDE_BLOCK, offset);
      return true;
    }
    long frame = body + SIMPLE_PACKET_HEADER_BYTES;
    long wireBytes = capture.unsignedInt(body, bigEndian);
    long capturedBytes = wireBytes;
    if (origin.snapLengthBytes() != 0) {
      capturedBytes = Math.min(capturedBytes, origin.snapLengthBytes());
    }
    if (fits(capturedBytes, end - frame)) {
      append(
          batch,
          frame,
          latestTimeNs + shiftNs,
          capturedBytes,
          wireBytes,
          origin.checkSequenceBytes(),
          origin.linkType(),
          RawPacketFlag.UNTIMED);
    }
    return true;
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
    super.rewind();
    offset = 0;
    latestTimeNs = 0;
    interfaces.clear();
  }
}
