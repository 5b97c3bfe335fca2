// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.flowstone.offheap.Reason;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A capture file, read and not mapped: one that is shortened meanwhile is an error with its name,
 * where a mapping's pages would vanish under the reader. What is read of it is what its window
 * holds. Whoever opened it closes it; one thread.
 */
final class CaptureFile implements AutoCloseable {
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Path path;
  private final FileChannel channel;
  private final CaptureWindow window;
  private final long size;
  private MemorySegment bytes;
  private long windowStart;
  private long windowEnd;

  private CaptureFile(Path path, FileChannel channel, CaptureWindow window) throws IOException {
    this.path = path;
    this.channel = channel;
    this.window = window;
    size = channel.size();
    bytes = window.bytes();
  }

  /** Opens a file, its beginning in the window. */
  static CaptureFile open(Path path, CaptureWindow window) {
    if (!Files.exists(path)) {
      throw new CaptureException(path + ": no such file");
    }
    if (!Files.isRegularFile(path)) {
      throw new CaptureException(
          path + ": not a regular file; accepted: " + CaptureFormat.ACCEPTED);
    }
    try {
      FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
      try {
        CaptureFile file = new CaptureFile(path, channel, window);
        file.load(0, 0);
        return file;
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw new CaptureException(path + ": cannot be read: " + Reason.of(e), e);
    }
  }

  Path path() {
    return path;
  }

  /** As it was when the file was opened; what is appended later is not read. */
  long size() {
    return size;
  }

  /** What {@link #windowOffset} counts from; another one after a {@link #load}. */
  MemorySegment window() {
    return bytes;
  }

  /** Whether all these bytes, which begin at or behind the window's start, are in the window. */
  boolean holds(long offset, long lengthBytes) {
    return offset + lengthBytes <= windowEnd;
  }

  long windowOffset(long offset) {
    return offset - windowStart;
  }

  /** Moves the window, so that it begins with these bytes, which are inside the file. */
  void load(long offset, int lengthBytes) {
    forget();
    try {
      long read = window.load(channel, offset, lengthBytes);
      windowStart = offset;
      windowEnd = Math.min(offset + read, size);
      bytes = window.bytes();
    } catch (IOException e) {
      throw failed(offset, lengthBytes, e);
    }
  }

  /** The window is another file's from now on, or must begin elsewhere. */
  void forget() {
    windowStart = 0;
    windowEnd = 0;
  }

  boolean beginsWithFile() {
    return windowStart == 0;
  }

  /** Before it is read once more: its window may still hold what the file no longer has. */
  void requireWhole() {
    try {
      if (channel.size() < size) {
        throw failed(channel.size(), 0, new EOFException());
      }
    } catch (IOException e) {
      throw failed(0, 0, e);
    }
  }

  int unsignedByte(long offset) {
    return Byte.toUnsignedInt(bytes.get(JAVA_BYTE, offset - windowStart));
  }

  int unsignedShort(long offset, boolean bigEndian) {
    short value = bytes.get(SHORT, offset - windowStart);
    return Short.toUnsignedInt(bigEndian ? Short.reverseBytes(value) : value);
  }

  int int32(long offset, boolean bigEndian) {
    int value = bytes.get(INT, offset - windowStart);
    return bigEndian ? Integer.reverseBytes(value) : value;
  }

  long unsignedInt(long offset, boolean bigEndian) {
    return Integer.toUnsignedLong(int32(offset, bigEndian));
  }

  long int64(long offset, boolean bigEndian) {
    long value = bytes.get(LONG, offset - windowStart);
    return bigEndian ? Long.reverseBytes(value) : value;
  }

  /** A word that need not be in the window, which stays where it is. */
  int int32Anywhere(long offset, boolean bigEndian) {
    if (holds(offset, Integer.BYTES)) {
      return int32(offset, bigEndian);
    }
    try {
      int value = window.loadAside(channel, offset).get(INT, 0);
      return bigEndian ? Integer.reverseBytes(value) : value;
    } catch (IOException e) {
      throw failed(offset, Integer.BYTES, e);
    }
  }

  private CaptureException failed(long offset, int lengthBytes, IOException e) {
    if (e instanceof EOFException) {
      return new CaptureException(
          String.format(
              "%s: shortened while it was read: %d bytes when it was opened, now nothing at byte"
                  + " %d; replay a copy that nobody writes to",
              path, size, offset + lengthBytes),
          e);
    }
    return new CaptureException(
        path + ": cannot be read at byte " + offset + ": " + Reason.of(e), e);
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new CaptureException(path + ": cannot be closed: " + Reason.of(e), e);
    }
  }
}
