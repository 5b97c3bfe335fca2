// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.model.abi.RawPacketLayout;
import dev.flowstone.raw.MalformedNote;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.tap.replay.CaptureException;
import dev.flowstone.tap.replay.ReplayOptions;
import dev.flowstone.tap.replay.ReplaySource;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/** The frames of one capture, each as it goes over a wire to a card. */
final class CapturedFrames {
  /** As {@link RawPacketLayout} has link types. */
  private static final int ETHERNET = 1;

  /** What a tap's kernel looks at of a frame. */
  private static final int WINDOW_BYTES = 128;

  /** Who takes them. */
  interface Taker {
    /**
     * A frame.
     *
     * @param capturedBytes what was captured of it, from the offset on
     * @param frameBytes as it goes over the wire
     * @param number of the packet in its capture, from 1 on
     */
    void take(MemorySegment from, long offset, int capturedBytes, int frameBytes, long number);
  }

  private final Path file;
  private final Taker taker;
  private long number;

  private CapturedFrames(Path file, Taker taker) {
    this.file = file;
    this.taker = taker;
  }

  /**
   * Hands on all of them.
   *
   * @return the first places where the capture is malformed, and has no frame
   * @throws CaptureException if one of them is none that could go over a wire
   */
  static List<MalformedNote> read(Path file, Taker taker) {
    CapturedFrames frames = new CapturedFrames(file, taker);
    try (ReplaySource source = new ReplaySource(ReplayOptions.once(file));
        RawPacketBatch batch = new RawPacketBatch(RawPacketBatch.DEFAULT_CAPACITY)) {
      while (source.fill(batch) != PacketSource.END) {
        frames.take(batch);
      }
      return source.counters().notes();
    }
  }

  private void take(RawPacketBatch batch) {
    for (int packet = 0; packet < batch.count(); packet++) {
      number++;
      int capturedBytes = batch.capturedBytes(packet);
      long frameBytes = frameBytes(capturedBytes, batch.wireBytes(packet));
      requireSendable(batch.linkType(packet), frameBytes);
      taker.take(batch.base(), batch.dataOffset(packet), capturedBytes, (int) frameBytes, number);
    }
  }

  /**
   * Of a frame that was cut behind all that the kernel looks at, the length is known; zeros stand
   * for what nobody looks at. Else what was captured is the frame, for nothing is guessed.
   */
  private static long frameBytes(int capturedBytes, long wireBytes) {
    return capturedBytes > WINDOW_BYTES ? Math.max(capturedBytes, wireBytes) : capturedBytes;
  }

  private void requireSendable(int linkType, long frameBytes) {
    if (linkType != ETHERNET) {
      throw refused(
          "is of link type %d, and a port of a card takes Ethernet (%d)"
              .formatted(linkType, ETHERNET));
    }
    if (frameBytes == 0) {
      throw refused("has no byte of a frame");
    }
    if (frameBytes > CaptureBlocks.MOST_FRAME_BYTES) {
      throw refused(
          "is a frame of %,d bytes, and a card sends %,d at the most"
              .formatted(frameBytes, CaptureBlocks.MOST_FRAME_BYTES));
    }
  }

  private CaptureException refused(String why) {
    return new CaptureException(
        "%s: packet %d %s: take a capture without it (editcap %s OUT %d)"
            .formatted(file, number, why, file.getFileName(), number));
  }
}
