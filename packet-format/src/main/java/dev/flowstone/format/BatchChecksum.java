// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketBatchHeaderLayout.CHECKSUM_OFFSET;

import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * CRC32C of a message without its checksum field. Over arrays, where the JDK uses the processor's
 * own instruction.
 */
final class BatchChecksum {
  private static final int AFTER_CHECKSUM = (int) CHECKSUM_OFFSET + Integer.BYTES;

  private final Checksum crc;

  BatchChecksum() {
    this(new CRC32C());
  }

  BatchChecksum(Checksum crc) {
    this.crc = crc;
  }

  int of(byte[] message, int lengthBytes) {
    crc.reset();
    crc.update(message, 0, (int) CHECKSUM_OFFSET);
    crc.update(message, AFTER_CHECKSUM, lengthBytes - AFTER_CHECKSUM);
    return (int) crc.getValue();
  }
}
