// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.captures;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Packets and bytes of each second of a pcap file, from the file's own headers of each frame. */
public final class CaptureSeconds {
  private static final int FILE_HEADER_BYTES = 24;
  private static final int FRAME_HEADER_BYTES = 16;
  private static final int MICROSECONDS = 0xa1b2c3d4;

  /** What one second holds. */
  public record Sum(long packets, long bytes) {
    static final Sum NONE = new Sum(0, 0);

    public Sum plus(Sum other) {
      return new Sum(packets + other.packets, bytes + other.bytes);
    }
  }

  private CaptureSeconds() {}

  public static Map<Long, Sum> of(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.getInt(0) != MICROSECONDS) {
      throw new IOException(file + " is not a little-endian pcap file");
    }
    Map<Long, Sum> seconds = new TreeMap<>();
    bytes.position(FILE_HEADER_BYTES);
    while (bytes.remaining() >= FRAME_HEADER_BYTES) {
      long second = Integer.toUnsignedLong(bytes.getInt(bytes.position()));
      int capturedBytes = bytes.getInt(bytes.position() + 8);
      int wireBytes = bytes.getInt(bytes.position() + 12);
      seconds.merge(second, new Sum(1, wireBytes), Sum::plus);
      bytes.position(bytes.position() + FRAME_HEADER_BYTES + capturedBytes);
    }
    return seconds;
  }
}
