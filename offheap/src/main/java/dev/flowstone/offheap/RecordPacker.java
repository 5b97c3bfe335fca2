// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;

/**
 * Packs records into the columnar body of a packet batch, in C++ (hw/model). Not thread-safe; its
 * memory goes with it.
 *
 * <p>Native code never sees the memory that records come from: they are copied a few at a time. A
 * ring file that somebody cuts short is an InternalError in Java and would be the end of the JVM
 * there; and what is looked at twice must be the same twice.
 */
public final class RecordPacker {
  private static final int LINE_BYTES = 64;
  private static final long RECORD_BYTES = PacketRecordLayout.SIZE_BYTES;

  /** Fit the nearest cache beside what the packer needs there. */
  private static final int CHUNK_RECORDS = 128;

  private static final long UNKNOWN = 0;

  private final ParserLibrary library;
  private final int maxPackets;
  private final MemorySegment packer;
  private final MemorySegment chunk;
  private final MemorySegment body;

  /**
   * @param maxPackets of the largest batch
   */
  public RecordPacker(int maxPackets) {
    this(maxPackets, ParserLibrary.instance());
  }

  RecordPacker(int maxPackets, ParserLibrary library) {
    this.maxPackets = maxPackets;
    this.library = library;
    Arena memory = Arena.ofAuto();
    packer = memory.allocate(library.packerBytes(maxPackets), LINE_BYTES);
    chunk = memory.allocate(CHUNK_RECORDS * RECORD_BYTES, LINE_BYTES);
    body = memory.allocate(library.bodyBytes(maxPackets), LINE_BYTES);
    try (Arena once = Arena.ofConfined()) {
      MemorySegment secret = once.allocate(JAVA_LONG, library.secretNumbers());
      SecureRandom random = new SecureRandom();
      for (long i = 0; i < library.secretNumbers(); i++) {
        secret.setAtIndex(JAVA_LONG, i, random.nextLong());
      }
      library.makePacker(packer, maxPackets, secret);
    }
  }

  /**
   * Returns the body, valid until the next call; empty where one of the records is no packet.
   *
   * @param selection indexes of records in ascending order; null: the first count records
   * @param timeBaseLow low half of the batch's time base
   */
  public MemorySegment pack(
      MemorySegment records, long offsetBytes, int[] selection, int count, int timeBaseLow) {
    if (count < 0 || count > maxPackets) {
      throw new IllegalArgumentException("count must be 0 to " + maxPackets + ": count=" + count);
    }
    library.beginPack(packer, count, timeBaseLow);
    for (int first = 0; first < count; first += CHUNK_RECORDS) {
      int added = Math.min(CHUNK_RECORDS, count - first);
      long upcoming = UNKNOWN;
      if (selection == null) {
        copy(records, offsetBytes + first * RECORD_BYTES, 0, added);
        upcoming = records.address() + offsetBytes + (first + added) * RECORD_BYTES;
      } else {
        for (int i = 0; i < added; i++) {
          copy(records, offsetBytes + selection[first + i] * RECORD_BYTES, i, 1);
        }
      }
      library.addToPack(packer, chunk, added, upcoming);
    }
    return body.asSlice(0, library.endPack(packer, body));
  }

  private void copy(MemorySegment records, long offsetBytes, int index, int count) {
    MemorySegment.copy(records, offsetBytes, chunk, index * RECORD_BYTES, count * RECORD_BYTES);
  }
}
