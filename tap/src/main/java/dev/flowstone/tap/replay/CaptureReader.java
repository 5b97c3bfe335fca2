// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import dev.flowstone.raw.MalformedCounts;
import dev.flowstone.raw.MalformedReason;
import dev.flowstone.raw.RawPacketBatch;

/**
 * Walks the records of one mapped capture. A subclass knows one format: it checks every length
 * against the mapped size before it follows it, and each step moves forward, so that any file comes
 * to its end.
 */
abstract sealed class CaptureReader permits PcapReader, PcapngReader, ErfReader {
  /** Longer packets are taken for a damaged length. */
  static final long MAX_PACKET_BYTES = 16 << 20;

  final MappedCapture capture;
  final long size;
  private final MalformedCounts malformed;

  /** Offset of the next record; {@link #size} at the end. */
  long offset;

  long latestTimeNs;
  long skipped;

  CaptureReader(MappedCapture capture, MalformedCounts malformed) {
    this.capture = capture;
    this.malformed = malformed;
    size = capture.size();
  }

  /** Adds packets, their times moved by {@code shiftNs}, until the batch or the file ends. */
  abstract void fill(RawPacketBatch batch, long shiftNs);

  /** Goes back to the first record. */
  abstract void rewind();

  final boolean atEnd() {
    return offset >= size;
  }

  /** Counts a record that is not used. */
  final void note(MalformedReason reason, long recordOffset) {
    malformed.add(reason, capture.path(), recordOffset);
  }

  /** Counts the record at the current offset, behind which nothing can be found. */
  final void stop(MalformedReason reason) {
    note(reason, offset);
    offset = size;
  }
}
