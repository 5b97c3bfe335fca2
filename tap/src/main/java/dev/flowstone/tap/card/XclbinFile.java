// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Looks whether a file can be an xclbin and is whole, before XRT sees it: AMD's library reads where
 * an empty one has nothing, which ends the process.
 */
final class XclbinFile {
  // As XRT's xclbin.h has them (axlf).
  private static final byte[] MAGIC = "xclbin2\0".getBytes(StandardCharsets.US_ASCII);
  private static final int SIZE_OFFSET = 304;
  private static final int HEADER_BYTES = 456;

  private XclbinFile() {}

  /**
   * @throws CardException unless all of it is there
   */
  static void require(Path file) {
    byte[] header;
    long sizeBytes;
    try (InputStream in = Files.newInputStream(file)) {
      header = in.readNBytes(HEADER_BYTES);
      sizeBytes = Files.size(file);
    } catch (IOException e) {
      throw new CardException("%s: cannot be read: %s".formatted(file, Reason.of(e)), e);
    }
    if (header.length < HEADER_BYTES
        || !Arrays.equals(header, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      throw new CardException(
          "%s: is no xclbin: name the one that v++ has linked, such as hw/target/u280.hw/flowstone.xclbin"
              .formatted(file));
    }
    long saysBytes = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getLong(SIZE_OFFSET);
    if (saysBytes > sizeBytes) {
      throw new CardException(
          "%s: is cut short: it has %,d of %,d bytes: copy it again, or link it again"
              .formatted(file, sizeBytes, saysBytes));
    }
  }
}
