// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A capture file in memory, read in place. The file must not be shortened meanwhile: its pages
 * would vanish under the reader. Unmapped by whoever owns the arena.
 */
final class MappedCapture {
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Path path;
  private final MemorySegment bytes;

  MappedCapture(Path path, MemorySegment bytes) {
    this.path = path;
    this.bytes = bytes;
  }

  static MappedCapture open(Path path, Arena arena) {
    if (!Files.isRegularFile(path)) {
      throw new CaptureException(
          path
              + (Files.exists(path) ? ": not a regular file" : ": no such file")
              + "; accepted: "
              + CaptureFormat.ACCEPTED);
    }
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      return new MappedCapture(path, channel.map(MapMode.READ_ONLY, 0, channel.size(), arena));
    } catch (IOException e) {
      throw new CaptureException(path + ": cannot be read: " + e, e);
    }
  }

  Path path() {
    return path;
  }

  MemorySegment bytes() {
    return bytes;
  }

  long size() {
    return bytes.byteSize();
  }

  int unsignedByte(long offset) {
    return Byte.toUnsignedInt(bytes.get(JAVA_BYTE, offset));
  }

  int unsignedShort(long offset, boolean bigEndian) {
    short value = bytes.get(SHORT, offset);
    return Short.toUnsignedInt(bigEndian ? Short.reverseBytes(value) : value);
  }

  int int32(long offset, boolean bigEndian) {
    int value = bytes.get(INT, offset);
    return bigEndian ? Integer.reverseBytes(value) : value;
  }

  long unsignedInt(long offset, boolean bigEndian) {
    return Integer.toUnsignedLong(int32(offset, bigEndian));
  }

  long int64(long offset, boolean bigEndian) {
    long value = bytes.get(LONG, offset);
    return bigEndian ? Long.reverseBytes(value) : value;
  }
}
