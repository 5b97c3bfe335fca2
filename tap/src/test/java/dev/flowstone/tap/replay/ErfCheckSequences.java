// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The bytes of check sequences in a capture, which oracles count as bytes of frames: 4 in each
 * record of an ERF file, in no other file of the collection.
 *
 * @param wireBytes those on the wire
 * @param capturedBytes those in the file
 */
record ErfCheckSequences(long wireBytes, long capturedBytes) {
  private static final int ETHERNET_TYPE = 2;
  private static final int HEADER_BYTES = 16 + 2;
  private static final int SEQUENCE_BYTES = 4;

  static ErfCheckSequences of(Path file) throws IOException {
    long wireBytes = 0;
    long capturedBytes = 0;
    if (file.toString().endsWith(".erf")) {
      ByteBuffer records = ByteBuffer.wrap(Files.readAllBytes(file));
      while (records.hasRemaining()) {
        int start = records.position();
        assertThat(records.get(start + 8)).as("record type").isEqualTo((byte) ETHERNET_TYPE);
        int recordBytes = Short.toUnsignedInt(records.getShort(start + 10));
        int frameBytes = Short.toUnsignedInt(records.getShort(start + 14)) - SEQUENCE_BYTES;
        wireBytes += SEQUENCE_BYTES;
        capturedBytes += Math.clamp(recordBytes - HEADER_BYTES - frameBytes, 0, SEQUENCE_BYTES);
        records.position(start + recordBytes);
      }
    }
    return new ErfCheckSequences(wireBytes, capturedBytes);
  }
}
