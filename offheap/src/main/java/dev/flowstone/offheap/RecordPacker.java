// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;

/**
 * Packs records into the columnar body of a packet batch, in C++ (hw/model). Not thread-safe; its
 * memory goes with it.
 */
public final class RecordPacker {
  private static final int LINE_BYTES = 64;
  private static final int SECRET_NUMBERS = 10;

  private final ParserLibrary library = ParserLibrary.instance();
  private final int maxPackets;
  private final MemorySegment packer;
  private final MemorySegment selected;
  private final MemorySegment body;

  /**
   * @param maxPackets of the largest batch
   */
  public RecordPacker(int maxPackets) {
    this.maxPackets = maxPackets;
    Arena memory = Arena.ofAuto();
    packer = memory.allocate(library.packerBytes(maxPackets), LINE_BYTES);
    selected = memory.allocate(JAVA_INT, maxPackets);
    body = memory.allocate(library.bodyBytes(maxPackets), LINE_BYTES);
    try (Arena once = Arena.ofConfined()) {
      MemorySegment secret = once.allocate(JAVA_LONG, SECRET_NUMBERS);
      SecureRandom random = new SecureRandom();
      for (int i = 0; i < SECRET_NUMBERS; i++) {
        secret.setAtIndex(JAVA_LONG, i, random.nextLong());
      }
      library.beginPacker(packer, maxPackets, secret);
    }
  }

  /**
   * Returns the body, valid until the next call; empty where one of the records is no packet.
   *
   * @param records memory outside of the heap, which the caller has seen to hold all of them
   * @param selection indexes of records in ascending order; null: the first count records
   * @param timeBaseLow low half of the batch's time base
   */
  public MemorySegment pack(
      MemorySegment records, long offsetBytes, int[] selection, int count, int timeBaseLow) {
    if (count < 0 || count > maxPackets) {
      throw new IllegalArgumentException("count must be 0 to " + maxPackets + ": count=" + count);
    }
    MemorySegment chosen = MemorySegment.NULL;
    if (selection != null) {
      MemorySegment.copy(selection, 0, selected, JAVA_INT, 0, count);
      chosen = selected;
    }
    long lengthBytes =
        library.pack(packer, records.asSlice(offsetBytes), chosen, count, timeBaseLow, body);
    return body.asSlice(0, lengthBytes);
  }
}
