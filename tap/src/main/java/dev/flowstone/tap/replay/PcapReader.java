// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import dev.flowstone.raw.MalformedReason;
import dev.flowstone.raw.RawPacketBatch;

/**
 * Reads pcap files: a header of 24 bytes, then records.
 *
 * <pre>
 *   0        4        8        12       16        24
 *   | seconds | fraction | captured | on wire | (modified pcap: 8 more) | frame ...
 * </pre>
 *
 * <p>The link-type word of the file header states how many bytes at the end of each frame are its
 * check sequence. The time is {@code seconds * 10^9 + fraction * (1000 or 1)} even where the
 * fraction is over its range. Seconds are unsigned, which lasts until 2106.
 */
final class PcapReader extends CaptureReader {
  static final int MAGIC_MICROSECONDS = 0xa1b2c3d4;
  static final int MAGIC_NANOSECONDS = 0xa1b23c4d;

  /** Written by patched capture programs of the nineties: 8 more bytes in each record header. */
  static final int MAGIC_MODIFIED = 0xa1b2cd34;

  static final int FILE_HEADER_BYTES = 24;
  private static final int RECORD_HEADER_BYTES = 16;
  private static final int MODIFIED_RECORD_HEADER_BYTES = 24;
  private static final int LINK_TYPE_OFFSET = 20;
  private static final long SECOND_NS = 1_000_000_000;
  private static final long MICROSECOND_NS = 1_000;

  private final boolean bigEndian;
  private final long fractionNs;
  private final int recordHeaderBytes;
  private final int linkType;
  private final int checkSequenceBytes;

  PcapReader(CaptureFile capture, CaptureCounts counts) {
    super(capture, counts);
    bigEndian = !isMagic(capture.int32(0, false));
    int magic = capture.int32(0, bigEndian);
    fractionNs = magic == MAGIC_NANOSECONDS ? 1 : MICROSECOND_NS;
    recordHeaderBytes =
        magic == MAGIC_MODIFIED ? MODIFIED_RECORD_HEADER_BYTES : RECORD_HEADER_BYTES;
    int linkTypeWord = capture.int32(LINK_TYPE_OFFSET, bigEndian);
    linkType = linkTypeWord & 0xFFFF;
    checkSequenceBytes = FrameCheckSequence.bytesOfLinkTypeWord(linkTypeWord);
    offset = FILE_HEADER_BYTES;
  }

  static boolean recognises(CaptureFile capture) {
    return capture.size() >= FILE_HEADER_BYTES
        && (isMagic(capture.int32(0, false)) || isMagic(capture.int32(0, true)));
  }

  private static boolean isMagic(int word) {
    return word == MAGIC_MICROSECONDS || word == MAGIC_NANOSECONDS || word == MAGIC_MODIFIED;
  }

  @Override
  long walk(RawPacketBatch batch, long shiftNs) {
    while (batch.hasRoom() && !atEnd()) {
      if (!capture.holds(offset, recordHeaderBytes)) {
        return recordHeaderBytes;
      }
      long capturedBytes = capture.unsignedInt(offset + 8, bigEndian);
      if (capturedBytes > MAX_PACKET_BYTES) {
        return stop(MalformedReason.TOO_LONG);
      }
      long recordBytes = recordHeaderBytes + capturedBytes;
      if (!capture.holds(offset, recordBytes)) {
        return recordBytes;
      }
      latestTimeNs =
          capture.unsignedInt(offset, bigEndian) * SECOND_NS
              + capture.unsignedInt(offset + 4, bigEndian) * fractionNs;
      append(
          batch,
          offset + recordHeaderBytes,
          latestTimeNs + shiftNs,
          capturedBytes,
          capture.unsignedInt(offset + 12, bigEndian),
          checkSequenceBytes,
          linkType,
          0);
      offset += recordBytes;
    }
    return DONE;
  }

  @Override
  void rewind() {
    super.rewind();
    offset = FILE_HEADER_BYTES;
  }
}
