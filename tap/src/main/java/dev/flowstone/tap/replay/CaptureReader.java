// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import dev.flowstone.raw.MalformedReason;
import dev.flowstone.raw.RawPacketBatch;

/**
 * Walks the records of one capture. A subclass knows one format: it checks every length against the
 * file's size before it follows it, and each step moves forward, so that any file comes to its end.
 *
 * <p>A batch ends where the window does, and before a record that tells of a loss: a loss has its
 * place between two batches.
 */
abstract sealed class CaptureReader permits PcapReader, PcapngReader, ErfReader {
  /** Longer packets are taken for a damaged length. */
  static final long MAX_PACKET_BYTES = 16 << 20;

  /** Half an hour of the shortest packets at 400 Gb/s: a record that tells of more is damaged. */
  static final long MAX_LOST_PACKETS = 1L << 40;

  /** The walk is at the end of the batch or of the file. */
  static final long DONE = 0;

  final CaptureFile capture;
  final long size;
  final CaptureCounts counts;

  /** Offset of the next record; {@link #size} at the end. */
  long offset;

  long latestTimeNs;

  CaptureReader(CaptureFile capture, CaptureCounts counts) {
    this.capture = capture;
    this.counts = counts;
    size = capture.size();
  }

  /** Adds packets, their times moved by {@code shiftNs}, until the batch or the file ends. */
  final void fill(RawPacketBatch batch, long shiftNs) {
    batch.begin(capture.window());
    long neededBytes = walk(batch, shiftNs);
    // The window moves only while no frame of the batch is in it.
    while (neededBytes != DONE && batch.count() == 0) {
      if (neededBytes > size - offset) {
        stop(MalformedReason.CUT_SHORT);
        return;
      }
      capture.load(offset, (int) neededBytes);
      batch.begin(capture.window());
      neededBytes = walk(batch, shiftNs);
    }
  }

  /**
   * Reads the records that are in the window. Calls nothing that moves it, so that a loop over
   * small packets costs a few nanoseconds for each.
   *
   * @return how many bytes from the offset on the window must hold to go on with the next batch;
   *     {@link #DONE} when the batch is full or nothing is left
   */
  abstract long walk(RawPacketBatch batch, long shiftNs);

  /**
   * Adds a frame without its check sequence, the last {@code checkSequenceBytes} that it had on the
   * wire.
   */
  final void append(
      RawPacketBatch batch,
      long frame,
      long timeNs,
      long capturedBytes,
      long wireBytes,
      int checkSequenceBytes,
      int linkType,
      int flags) {
    long lengthBytes = Math.max(0, wireBytes - checkSequenceBytes);
    batch.append(
        capture.windowOffset(frame),
        timeNs,
        // Without a check sequence both lengths stay as recorded, also in a damaged capture.
        (int) (checkSequenceBytes == 0 ? capturedBytes : Math.min(capturedBytes, lengthBytes)),
        (int) lengthBytes,
        linkType,
        flags);
  }

  /** Goes back to the first record. */
  void rewind() {
    if (!capture.beginsWithFile()) {
      capture.forget();
    }
  }

  final boolean atEnd() {
    return offset >= size;
  }

  /** Counts a record that is not used. */
  final void note(MalformedReason reason, long recordOffset) {
    counts.malformed.add(reason, capture.path(), recordOffset);
  }

  /** Counts the record at the current offset, behind which nothing can be found. */
  final long stop(MalformedReason reason) {
    note(reason, offset);
    offset = size;
    return DONE;
  }
}
