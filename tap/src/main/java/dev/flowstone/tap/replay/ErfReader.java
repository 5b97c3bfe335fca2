// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import dev.flowstone.model.abi.RawPacketFlag;
import dev.flowstone.raw.MalformedReason;
import dev.flowstone.raw.RawPacketBatch;

/**
 * Reads ERF files: records back to back, no file header.
 *
 * <pre>
 *   0                8      9       10              12             14
 *   | time LE 32.32  | type | flags | record length | loss / color | wire length |
 *   | 8-byte extension headers while bit 7 of the type, then of each header, is set |
 *   | 4 bytes with multi-channel types, 2 with Ethernet types | frame ... | padding |
 * </pre>
 *
 * <p>The wire length of Ethernet types includes the check sequence of the frame. For PPP and HDLC
 * the record does not state how long a check sequence is, and the wire length is kept.
 *
 * <p>The loss counter tells how many packets the card lost between this record and the one before.
 * All but the time is big-endian. The format has no magic: a file is taken for ERF when its first
 * {@value #RECORDS_LOOKED_AT} records (or all it has) are sound.
 */
final class ErfReader extends CaptureReader {
  /** Captures of this type hold PPP or Cisco HDLC; the first byte tells. */
  static final int LINK_TYPE_PPP_HDLC = 50;

  static final int LINK_TYPE_ETHERNET = 1;

  /** DLT_RAW: an IPv4 or IPv6 header comes first. */
  static final int LINK_TYPE_RAW_IP = 12;

  static final int TYPE_ETHERNET = 2;
  static final int TYPE_PADDING = 48;
  static final int HEADER_BYTES = 16;
  static final int RECORDS_LOOKED_AT = 20;
  static final int FLAG_RECEIVE_ERROR = 1 << 4;
  private static final int LAST_NAMED_TYPE = 29;
  private static final int EXTENSION_BYTES = 8;
  private static final int EXTENSION_BIT = 0x80;
  private static final int MULTI_CHANNEL_BYTES = 4;
  private static final int ETHERNET_PADDING_BYTES = 2;
  private static final long SECOND_NS = 1_000_000_000;
  private static final long HALF = 1L << 31;

  ErfReader(CaptureFile capture, CaptureCounts counts) {
    super(capture, counts);
  }

  static boolean recognises(CaptureFile capture) {
    long offset = 0;
    for (int i = 0; i < RECORDS_LOOKED_AT && offset < capture.size(); i++) {
      long left = capture.size() - offset;
      if (left < HEADER_BYTES) {
        return i > 0;
      }
      if (!capture.holds(offset, HEADER_BYTES)) {
        return true;
      }
      int recordBytes = capture.unsignedShort(offset + 10, true);
      if (!isNamed(type(capture, offset)) || recordBytes < HEADER_BYTES) {
        return false;
      }
      if (recordBytes > left) {
        return i > 0;
      }
      offset += recordBytes;
    }
    return capture.size() > 0;
  }

  private static int type(CaptureFile capture, long offset) {
    return capture.unsignedByte(offset + 8) & ~EXTENSION_BIT;
  }

  private static boolean isNamed(int type) {
    return (type >= 1 && type <= LAST_NAMED_TYPE) || type == TYPE_PADDING;
  }

  @Override
  long walk(RawPacketBatch batch, long shiftNs) {
    while (batch.hasRoom() && !atEnd()) {
      if (!capture.holds(offset, HEADER_BYTES)) {
        return HEADER_BYTES;
      }
      int recordBytes = capture.unsignedShort(offset + 10, true);
      if (recordBytes < HEADER_BYTES) {
        return stop(MalformedReason.BAD_LENGTH);
      }
      if (!capture.holds(offset, recordBytes)) {
        return recordBytes;
      }
      int type = type(capture, offset);
      int lost = hasLossCounter(type) ? capture.unsignedShort(offset + 12, true) : 0;
      if (lost > 0 && batch.count() > 0) {
        return recordBytes;
      }
      counts.losses.add(lost);
      if (type == TYPE_PADDING) {
        counts.skipped++;
      } else {
        readPacket(batch, type, recordBytes, shiftNs);
      }
      offset += recordBytes;
    }
    return DONE;
  }

  private void readPacket(RawPacketBatch batch, int type, int recordBytes, long shiftNs) {
    long frame = extensionsEnd(recordBytes) + headerBytes(type);
    long end = offset + recordBytes;
    if (frame > end) {
      note(MalformedReason.PACKET_OUTSIDE_BLOCK, offset);
      return;
    }
    if ((capture.unsignedByte(offset + 9) & FLAG_RECEIVE_ERROR) != 0) {
      counts.receiveErrors++;
    }
    int wireBytes = capture.unsignedShort(offset + 14, true);
    int linkType = linkType(type);
    latestTimeNs = timeNs(capture.int64(offset, false));
    append(
        batch,
        frame,
        latestTimeNs + shiftNs,
        // A record is padded to 8 bytes: what is behind the frame was never on the wire.
        Math.min(end - frame, wireBytes),
        wireBytes,
        linkType == LINK_TYPE_ETHERNET ? FrameCheckSequence.ETHERNET_BYTES : 0,
        linkType < 0 ? type : linkType,
        linkType < 0 ? RawPacketFlag.ERF_TYPE : 0);
  }

  /** Where the extension headers end; past the record's end if they do not end inside it. */
  private long extensionsEnd(int recordBytes) {
    long position = offset + HEADER_BYTES;
    long end = offset + recordBytes;
    boolean more = (capture.unsignedByte(offset + 8) & EXTENSION_BIT) != 0;
    while (more && position + EXTENSION_BYTES <= end) {
      more = (capture.unsignedByte(position) & EXTENSION_BIT) != 0;
      position += EXTENSION_BYTES;
    }
    return more ? end + 1 : position;
  }

  /** Other types have a colour, a stream number or a hash there, or nothing. */
  private static boolean hasLossCounter(int type) {
    return switch (type) {
      case 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 18, 21, 22, 23, 24, 25 -> true;
      default -> false;
    };
  }

  private static int headerBytes(int type) {
    return switch (type) {
      case 2, 11, 16, 20 -> ETHERNET_PADDING_BYTES;
      case 5, 17 -> MULTI_CHANNEL_BYTES;
      default -> 0;
    };
  }

  /** The capture link type of an ERF type, -1 for types that are not handled. */
  private static int linkType(int type) {
    return switch (type) {
      // Ethernet, plain and with colors, stream numbers or hashes
      case 2, 11, 16, 20 -> LINK_TYPE_ETHERNET;
      // PPP and Cisco HDLC on SONET, on channels too
      case 1, 5, 10, 15, 17, 19 -> LINK_TYPE_PPP_HDLC;
      // IPv4 and IPv6 with nothing before
      case 22, 23 -> LINK_TYPE_RAW_IP;
      default -> -1;
    };
  }

  /** 32.32 fixed point to nanoseconds, rounded half up. */
  static long timeNs(long fixedPoint) {
    long fraction = fixedPoint & 0xFFFF_FFFFL;
    return (fixedPoint >>> Integer.SIZE) * SECOND_NS
        + ((fraction * SECOND_NS + HALF) >>> Integer.SIZE);
  }

  @Override
  void rewind() {
    super.rewind();
    offset = 0;
  }
}
