// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.RingContent;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.RingLineageLayout;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Makes the ring files of a tap, all or none: whole under temporary names, then renamed, so that a
 * reader never sees half a header, nor rings of two taps that belong to different sets for longer
 * than that takes. Takes over the counters of the incarnations that the new files replace.
 */
final class RingFileMaker {
  private final RingFolder folder;
  private final RingDirectory directory;
  private final RingSpecification specification;
  private final RingRoom room;

  RingFileMaker(RingFolder folder, RingSpecification specification, RingRoom room) {
    this.folder = folder;
    this.directory = folder.directory();
    this.specification = specification;
    this.room = room;
  }

  /** Makes the files of all rings, each of a new incarnation, in place of what was there. */
  List<Path> makeAll() {
    SecureRandom random = new SecureRandom();
    long tap = inheritedTap().orElseGet(() -> StreamNumber.newTap(random));
    try {
      for (int ring = 0; ring < specification.ringCount(); ring++) {
        make(ring, random.nextLong(), StreamNumber.of(tap, ring));
      }
      directory.deleteRingsFrom(specification.ringCount());
      List<Path> files = new ArrayList<>();
      for (int ring = 0; ring < specification.ringCount(); ring++) {
        Path file = directory.ringFile(ring);
        Files.move(room.file(ring), file, StandardCopyOption.ATOMIC_MOVE);
        files.add(file);
      }
      return files;
    } catch (IOException e) {
      room.giveBack();
      throw RingRoom.cannotMake(directory, e);
    } catch (RuntimeException e) {
      room.giveBack();
      throw e;
    }
  }

  /** What the streams of this folder's former tap had in common, if it left a ring. */
  private OptionalLong inheritedTap() {
    for (Path file : directory.ringFiles()) {
      try (RingFile former = RingFile.open(file)) {
        return OptionalLong.of(StreamNumber.tap(former.identity().stream()));
      } catch (RingFileException unreadable) {
        // Perhaps the next one.
      }
    }
    return OptionalLong.empty();
  }

  private void make(int ring, long incarnation, long stream) throws IOException {
    Path file = room.file(ring);
    folder.grantFile(file);
    writeHeader(file, room.fileBytes(), ring, incarnation, stream, lineageOfPredecessor(ring));
  }

  private RingLineage lineageOfPredecessor(int ring) {
    Path path = directory.ringFile(ring);
    if (!Files.exists(path)) {
      return RingLineage.NONE;
    }
    try (RingFile former = RingFile.open(path)) {
      RingCounters counters = former.counters();
      return former
          .lineage()
          .withLatest(
              new RingLineage.Ancestor(
                  former.identity().incarnation(),
                  counters.offeredPackets(),
                  counters.lostBeforeTap()),
              RingFileHeaderLayout.LINEAGE_ENTRIES);
    } catch (RingFileException unreadable) {
      return RingLineage.NONE;
    }
  }

  private void writeHeader(
      Path file, long sizeBytes, int ring, long incarnation, long stream, RingLineage lineage)
      throws IOException {
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Arena arena = Arena.ofConfined()) {
      MemorySegment header = channel.map(FileChannel.MapMode.READ_WRITE, 0, sizeBytes, arena);
      putInt(header, RingFileHeaderLayout.ABI_VERSION_OFFSET, RingFileHeaderLayout.ABI_VERSION);
      putInt(header, RingFileHeaderLayout.CONTENT_OFFSET, RingContent.PACKET_RECORDS);
      putInt(header, RingFileHeaderLayout.RING_OFFSET, ring);
      putInt(header, RingFileHeaderLayout.RING_COUNT_OFFSET, specification.ringCount());
      putLong(header, RingFileHeaderLayout.INCARNATION_OFFSET, incarnation);
      putLong(header, RingFileHeaderLayout.STREAM_OFFSET, stream);
      putInt(header, RingFileHeaderLayout.SLOTS_LOG2_OFFSET, specification.slotsLog2());
      putInt(header, RingFileHeaderLayout.CLOCK_OFFSET, specification.clock());
      putInt(header, RingFileHeaderLayout.MAX_PARALLELISM_OFFSET, specification.maxParallelism());
      putLong(
          header, RingFileHeaderLayout.CREATED_NS_OFFSET, System.currentTimeMillis() * 1_000_000);
      putInt(header, RingFileHeaderLayout.PRODUCER_PID_OFFSET, (int) ProcessHandle.current().pid());
      RingHeader.putText(
          header,
          RingFileHeaderLayout.TAP_NAME_OFFSET,
          RingFileHeaderLayout.TAP_NAME_LENGTH,
          specification.tapName());
      putLineage(header, lineage.ancestors());
      byte[] table = specification.keyGroupTable();
      MemorySegment.copy(
          table,
          0,
          header,
          ValueLayout.JAVA_BYTE,
          RingFileHeaderLayout.KEY_GROUP_TABLE_OFFSET,
          table.length);
      putLong(header, RingFileHeaderLayout.MAGIC_OFFSET, RingFileHeaderLayout.MAGIC);
    }
  }

  private static void putLineage(MemorySegment header, List<RingLineage.Ancestor> ancestors) {
    putInt(header, RingFileHeaderLayout.LINEAGE_COUNT_OFFSET, ancestors.size());
    long offset = RingFileHeaderLayout.LINEAGE_OFFSET;
    for (RingLineage.Ancestor ancestor : ancestors) {
      putLong(header, offset + RingLineageLayout.INCARNATION_OFFSET, ancestor.incarnation());
      putLong(header, offset + RingLineageLayout.OFFERED_PACKETS_OFFSET, ancestor.offeredPackets());
      putLong(header, offset + RingLineageLayout.LOST_BEFORE_TAP_OFFSET, ancestor.lostBeforeTap());
      offset += RingLineageLayout.SIZE_BYTES;
    }
  }

  private static void putInt(MemorySegment header, long offset, int value) {
    header.set(RingHeader.INT, offset, value);
  }

  private static void putLong(MemorySegment header, long offset, long value) {
    header.set(RingHeader.LONG, offset, value);
  }
}
