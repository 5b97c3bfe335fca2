// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.RingLineageLayout;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/**
 * A ring file, mapped and checked. Another process may have written it: nothing in its header is
 * used before it is held against the file's real size.
 *
 * <p>The opener closes it; after that every access to its memory throws. Any thread may read.
 */
public final class RingFile implements AutoCloseable {
  public static final int SLOT_BYTES = (int) PacketRecordLayout.SIZE_BYTES;

  private final Path path;
  private final Object fileKey;
  private final Arena arena;
  private final RingIdentity identity;
  private final RingLineage lineage;
  private final MemorySegment header;
  private final MemorySegment slots;
  private final RingHeader words;
  private final RingLanes lanes;
  private final RingWindow window;

  private RingFile(
      Path path, Object fileKey, Arena arena, MemorySegment file, RingIdentity identity) {
    this.path = path;
    this.fileKey = fileKey;
    this.arena = arena;
    this.identity = identity;
    this.header = file.asSlice(0, RingFileHeaderLayout.HEADER_BYTES);
    this.slots = file.asSlice(RingFileHeaderLayout.HEADER_BYTES, identity.slotCount() * SLOT_BYTES);
    this.lineage = readLineage(header);
    this.words = new RingHeader(header);
    this.lanes = new RingLanes(header, words, ClaimTurn.byLockOf(path));
    this.window = new RingWindow(path, words, identity.slotCount());
  }

  /** Opens a ring file that a tap made. */
  public static RingFile open(Path path) {
    try {
      while (true) {
        Object keyBefore = fileKey(path);
        RingFile opened = open(path, keyBefore);
        if (keyBefore.equals(fileKey(path))) {
          return opened;
        }
        opened.close(); // the tap was started again in between: which file this is nobody knows
      }
    } catch (NoSuchFileException e) {
      throw new RingFileException(
          path + ": no such ring file; start a tap first (./flowstone tap --help)", e);
    } catch (IOException e) {
      throw new RingFileException(path + ": cannot open the ring file: " + Reason.of(e), e);
    }
  }

  private static RingFile open(Path path, Object fileKey) throws IOException {
    Arena arena = Arena.ofShared();
    try {
      MemorySegment file = map(path, arena);
      return new RingFile(path, fileKey, arena, file, RingFileCheck.identity(path, file));
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  private static MemorySegment map(Path path, Arena arena) throws IOException {
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long sizeBytes = channel.size();
      RingFileCheck.requireHeader(path, sizeBytes);
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, sizeBytes, arena);
    }
  }

  public Path path() {
    return path;
  }

  public RingIdentity identity() {
    return identity;
  }

  public RingLineage lineage() {
    return lineage;
  }

  /** The slots; slot of position p at {@link #slotOffset}. */
  public MemorySegment slots() {
    return slots;
  }

  public long slotOffset(long position) {
    return (position & (identity.slotCount() - 1)) * SLOT_BYTES;
  }

  public long position() {
    return words.positionAcquire();
  }

  /** Where a reader that comes now could begin. */
  public long oldestPosition() {
    return window.oldest();
  }

  public boolean isEnded() {
    return words.isEndedAcquire();
  }

  public RingCounters counters() {
    return words.counters();
  }

  public RingLanes lanes() {
    return lanes;
  }

  /** The ring of each key group, as the header says. */
  public byte[] keyGroupTable() {
    return header
        .asSlice(RingFileHeaderLayout.KEY_GROUP_TABLE_OFFSET, identity.maxParallelism())
        .toArray(ValueLayout.JAVA_BYTE);
  }

  MemorySegment header() {
    return header;
  }

  RingHeader words() {
    return words;
  }

  RingWindow window() {
    return window;
  }

  /** What those are owed who use the slots by reference. */
  public RingLoan loan() {
    return window;
  }

  /**
   * Whether the name now belongs to another file (the tap was started again) or to none. A file
   * that cannot be looked at is taken for the same.
   */
  public boolean isReplaced() {
    try {
      return !fileKey.equals(fileKey(path));
    } catch (NoSuchFileException gone) {
      return true;
    } catch (IOException unknown) {
      return false;
    }
  }

  private static Object fileKey(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
  }

  private static RingLineage readLineage(MemorySegment header) {
    int claimed = header.get(RingHeader.INT, RingFileHeaderLayout.LINEAGE_COUNT_OFFSET);
    int count = Math.clamp(claimed, 0, RingFileHeaderLayout.LINEAGE_ENTRIES);
    List<RingLineage.Ancestor> ancestors = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long offset = RingFileHeaderLayout.LINEAGE_OFFSET + i * RingLineageLayout.SIZE_BYTES;
      ancestors.add(
          new RingLineage.Ancestor(
              header.get(RingHeader.LONG, offset + RingLineageLayout.INCARNATION_OFFSET),
              header.get(RingHeader.LONG, offset + RingLineageLayout.OFFERED_PACKETS_OFFSET),
              header.get(RingHeader.LONG, offset + RingLineageLayout.LOST_BEFORE_TAP_OFFSET)));
    }
    return new RingLineage(ancestors);
  }

  @Override
  public void close() {
    arena.close();
  }
}
