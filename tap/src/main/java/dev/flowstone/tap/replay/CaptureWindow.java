// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * The piece of a capture file that is in memory: its bytes are a copy, so nothing that happens to
 * the file can take them away. The files of one source share it, one at a time; what it showed
 * before is gone with each {@link #load}. Freed with the arena; one thread.
 */
final class CaptureWindow {
  /** Long enough to hide the cost of a call, short enough to stay in the processor's cache. */
  static final int USUAL_BYTES = 256 << 10;

  /** The longest packet that is read, with all that a record says of it. */
  static final int MOST_BYTES = (int) CaptureReader.MAX_PACKET_BYTES + (64 << 10);

  private final Arena arena;
  private final MemorySegment aside;
  private final ByteBuffer asideTarget;
  private MemorySegment bytes;
  private ByteBuffer target;

  CaptureWindow(Arena arena) {
    this.arena = arena;
    aside = arena.allocate(Integer.BYTES);
    asideTarget = aside.asByteBuffer();
    make(USUAL_BYTES);
  }

  private void make(int sizeBytes) {
    bytes = arena.allocate(sizeBytes);
    target = bytes.asByteBuffer();
  }

  /**
   * Reads the bytes of a file from an offset on, as many as there is room for.
   *
   * @param neededBytes at least that many
   * @return how many there are now
   */
  int load(FileChannel file, long offset, int neededBytes) throws IOException {
    if (neededBytes > target.capacity()) {
      make(Math.clamp(2L * neededBytes, USUAL_BYTES, MOST_BYTES));
    }
    return read(file, offset, target.clear(), neededBytes);
  }

  /** Reads a word that is not in the window, which stays as it is. */
  MemorySegment loadAside(FileChannel file, long offset) throws IOException {
    read(file, offset, asideTarget.clear(), asideTarget.capacity());
    return aside;
  }

  private static int read(FileChannel file, long offset, ByteBuffer into, int neededBytes)
      throws IOException {
    int read = 0;
    while (into.hasRemaining() && read >= 0) {
      read = file.read(into, offset + into.position());
    }
    if (into.position() < neededBytes) {
      throw new EOFException();
    }
    return into.position();
  }

  /** Another segment after a load that needed more room. */
  MemorySegment bytes() {
    return bytes;
  }
}
