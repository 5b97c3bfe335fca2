// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Zeroed memory of no file, in huge pages where the kernel has them. Mapping much costs nothing:
 * the kernel provides what is touched. Belongs to whoever maps it, who closes it; any thread may
 * use it.
 */
@SuppressWarnings("restricted")
public final class AnonymousMemory implements AutoCloseable {
  private static final AtomicLong MAPPED_BYTES = new AtomicLong();

  private final Arena arena = Arena.ofShared();
  private final MemorySegment segment;
  private final boolean inHugePages;

  /** Maps so many bytes, one or more. */
  public AnonymousMemory(long sizeBytes) {
    if (sizeBytes < 1) {
      throw new IllegalArgumentException("memory of one byte or more: " + sizeBytes);
    }
    MemorySegment start = Posix.mapMemory(sizeBytes);
    inHugePages = Posix.adviseHugePages(start, sizeBytes);
    segment =
        start.reinterpret(
            sizeBytes,
            arena,
            mapped -> {
              Posix.unmapMemory(mapped, sizeBytes);
              MAPPED_BYTES.addAndGet(-sizeBytes);
            });
    MAPPED_BYTES.addAndGet(sizeBytes);
  }

  /** What all living instances of this process have mapped, touched or not. */
  public static long mappedBytes() {
    return MAPPED_BYTES.get();
  }

  public MemorySegment segment() {
    return segment;
  }

  /** Whether the kernel took the advice. */
  public boolean isInHugePages() {
    return inHugePages;
  }

  @Override
  public void close() {
    arena.close();
  }
}
