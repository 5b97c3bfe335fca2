// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A page without the words that are zero, for most of a histogram is. In state: whoever changes it
 * changes the version of what stands before pages there. Little-endian:
 *
 * <pre>
 * 0  8 for each 64 words of the page, begun or whole: which of them follow, bit 0 the first
 *    8 each of these
 * </pre>
 */
public final class PackedPage {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** Words of a cache line: of a histogram with few values whole lines are zero. */
  private static final int SKIPPED = 8;

  private PackedPage() {}

  private static int maskBytes(int contentBytes) {
    return Math.ceilDiv(contentBytes / Long.BYTES, Long.SIZE) * Long.BYTES;
  }

  /** What {@link #pack} may write. */
  public static int mostBytes(int contentBytes) {
    return maskBytes(contentBytes) + contentBytes;
  }

  /** Writes a page's content, in whole words; returns how many bytes that took. */
  static int pack(MemorySegment memory, long page, int contentBytes, byte[] target, int offset) {
    final int words = contentBytes / Long.BYTES;
    int end = offset + maskBytes(contentBytes);
    for (int first = 0; first < words; first += Long.SIZE) {
      final int last = Math.min(words, first + Long.SIZE);
      long mask = 0;
      for (int i = first; i < last; i++) {
        if (i % SKIPPED == 0 && last - i >= SKIPPED && isZero(memory, page, i)) {
          i += SKIPPED - 1;
          continue;
        }
        final long word = memory.get(LONG, page + (long) i * Long.BYTES);
        // Without a branch: a zero is overwritten by the next.
        WORD.set(target, end, word);
        final int follows = word == 0 ? 0 : 1;
        mask |= (long) follows << i;
        end += follows * Long.BYTES;
      }
      WORD.set(target, offset + first / Long.SIZE * Long.BYTES, mask);
    }
    return end - offset;
  }

  private static boolean isZero(MemorySegment memory, long page, int first) {
    long any = 0;
    for (int i = first; i < first + SKIPPED; i++) {
      any |= memory.get(LONG, page + (long) i * Long.BYTES);
    }
    return any == 0;
  }

  /**
   * Puts a page's content together again.
   *
   * @param offset where it lies in {@code packed}
   * @param end where it ends there
   * @param content takes it, all of it
   * @return whether it was as {@link #pack} writes it
   */
  public static boolean unpack(byte[] packed, int offset, int end, byte[] content) {
    final int words = content.length / Long.BYTES;
    int from = offset + maskBytes(content.length);
    if (from > end) {
      return false;
    }
    for (int i = 0; i < words; i++) {
      final long mask = (long) WORD.get(packed, offset + i / Long.SIZE * Long.BYTES);
      long word = 0;
      if ((mask >>> i & 1) != 0) {
        if (from + Long.BYTES > end) {
          return false;
        }
        word = (long) WORD.get(packed, from);
        from += Long.BYTES;
      }
      WORD.set(content, i * Long.BYTES, word);
    }
    return from == end;
  }
}
