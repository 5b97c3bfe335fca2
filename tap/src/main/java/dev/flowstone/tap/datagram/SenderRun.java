// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.datagram;

import dev.flowstone.offheap.ring.ReaderName;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.zip.CRC32C;

/**
 * One start of a sender.
 *
 * @param id 64 random bits
 * @param startedNs its wall clock then, UTC nanoseconds
 * @param reader digest of the name by which it reads rings
 */
public record SenderRun(long id, long startedNs, int reader) {
  private static final long SECOND_NS = 1_000_000_000;

  /** One that begins now. */
  public static SenderRun begin(ReaderName reader) {
    Instant now = Instant.now();
    return new SenderRun(
        new SecureRandom().nextLong(),
        now.getEpochSecond() * SECOND_NS + now.getNano(),
        checksum(reader.name().getBytes(StandardCharsets.UTF_8)));
  }

  /** CRC32C: what stands for a reader's name or a key-group table. */
  public static int checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }
}
