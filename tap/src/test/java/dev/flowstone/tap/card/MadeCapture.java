// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** A pcap of frames that a test makes, of which byte i is i and its number. */
final class MadeCapture {
  static final int ETHERNET = 1;
  private static final int MAGIC = 0xa1b2c3d4;
  private static final int HEADER_BYTES = 24;
  private static final int RECORD_HEADER_BYTES = 16;
  private static final int SNAP_BYTES = 1 << 18;

  private MadeCapture() {}

  static Path of(Path file, int... frameBytes) {
    return of(file, ETHERNET, frameBytes, frameBytes);
  }

  /**
   * Frames that may have been cut.
   *
   * @param wireBytes what each had on the wire
   */
  static Path of(Path file, int linkType, int[] capturedBytes, int[] wireBytes) {
    int size = HEADER_BYTES;
    for (int each : capturedBytes) {
      size += RECORD_HEADER_BYTES + each;
    }
    ByteBuffer bytes = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(MAGIC).putShort((short) 2).putShort((short) 4).putLong(0);
    bytes.putInt(SNAP_BYTES).putInt(linkType);
    for (int frame = 0; frame < capturedBytes.length; frame++) {
      bytes.putInt(1).putInt(frame).putInt(capturedBytes[frame]).putInt(wireBytes[frame]);
      bytes.put(frame(frame, capturedBytes[frame]));
    }
    try {
      return Files.write(file, bytes.array());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static byte[] frame(int number, int frameBytes) {
    byte[] frame = new byte[frameBytes];
    for (int i = 0; i < frameBytes; i++) {
      frame[i] = (byte) (i + number + 1);
    }
    return frame;
  }
}
