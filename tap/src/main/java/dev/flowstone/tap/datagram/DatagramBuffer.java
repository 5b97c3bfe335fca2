// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.datagram;

import dev.flowstone.model.abi.TelemetryDatagramLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Memory for one datagram, as long as UDP carries any, seen as a socket and as a reader of records
 * want it. Closed by whoever made it; one thread at a time.
 */
public final class DatagramBuffer implements AutoCloseable {
  /** One more than any datagram has, so that none is cut short unseen. */
  public static final int CAPACITY_BYTES = 1 << 16;

  private static final long ALIGNMENT_BYTES = 64;
  private static final int CHECKSUM_AT = (int) TelemetryDatagramLayout.CHECKSUM_OFFSET;
  private static final int AFTER_CHECKSUM = CHECKSUM_AT + Integer.BYTES;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory = arena.allocate(CAPACITY_BYTES, ALIGNMENT_BYTES);
  private final ByteBuffer bytes = memory.asByteBuffer();
  private final CRC32C crc = new CRC32C();

  public MemorySegment memory() {
    return memory;
  }

  /** The whole memory, to be filled from its beginning. */
  public ByteBuffer toFill() {
    return bytes.clear();
  }

  /** Its first bytes, to be sent. */
  ByteBuffer toSend(int lengthBytes) {
    return bytes.clear().limit(lengthBytes);
  }

  /** That of a datagram of a header or more, whatever it says of itself. */
  int checksum(int lengthBytes) {
    crc.reset();
    crc.update(bytes.clear().limit(CHECKSUM_AT));
    crc.update(bytes.limit(lengthBytes).position(AFTER_CHECKSUM));
    return (int) crc.getValue();
  }

  @Override
  public void close() {
    arena.close();
  }
}
