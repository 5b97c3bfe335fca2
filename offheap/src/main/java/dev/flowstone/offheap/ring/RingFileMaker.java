// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.RingContent;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.RingLineageLayout;
import dev.flowstone.offheap.NativeCallException;
import dev.flowstone.offheap.Posix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * Makes ring files: whole under a temporary name, then renamed, so that a reader never sees half a
 * header. Takes over the counters of the incarnation that the new file replaces.
 */
final class RingFileMaker {
  private final RingDirectory directory;
  private final RingSpecification specification;

  RingFileMaker(RingDirectory directory, RingSpecification specification) {
    this.directory = directory;
    this.specification = specification;
  }

  /** Makes ring files for all rings, with one incarnation each. */
  RingFile make(int ring, long incarnation) {
    RingLineage lineage = lineageOfPredecessor(ring);
    Path temporary = directory.temporaryFile(ring);
    Path path = directory.ringFile(ring);
    long sizeBytes = 0;
    try {
      sizeBytes = sizeBytes();
      Files.deleteIfExists(temporary);
      Posix.createAllocated(temporary, sizeBytes);
      grantGroup(temporary);
      writeHeader(temporary, sizeBytes, ring, incarnation, lineage);
      Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
      return RingFile.open(path);
    } catch (NativeCallException e) {
      remove(temporary);
      throw new RingFileException(
          path
              + ": no room for a ring file of "
              + (sizeBytes >> 20)
              + " MiB: "
              + e.getMessage()
              + "; choose a smaller --ring-bytes or another folder",
          e);
    } catch (IOException e) {
      remove(temporary);
      throw new RingFileException(path + ": cannot make the ring file: " + e.getMessage(), e);
    }
  }

  /** Whole blocks of the file system: hugetlbfs maps nothing less than a huge page. */
  private long sizeBytes() throws IOException {
    long wanted =
        RingFileHeaderLayout.HEADER_BYTES
            + ((long) RingFile.SLOT_BYTES << specification.slotsLog2());
    long blockBytes = Files.getFileStore(directory.path()).getBlockSize();
    return Math.ceilDiv(wanted, blockBytes) * blockBytes;
  }

  private RingLineage lineageOfPredecessor(int ring) {
    Path path = directory.ringFile(ring);
    if (!Files.exists(path)) {
      return RingLineage.NONE;
    }
    try (RingFile former = RingFile.open(path)) {
      long offered = former.counters().offeredPackets();
      return former
          .lineage()
          .withLatest(
              new RingLineage.Ancestor(former.identity().incarnation(), offered),
              RingFileHeaderLayout.LINEAGE_ENTRIES);
    } catch (RingFileException unreadable) {
      return RingLineage.NONE;
    }
  }

  private void grantGroup(Path file) throws IOException {
    if (specification.group().isEmpty()) {
      return;
    }
    String group = specification.group().get();
    Files.getFileAttributeView(file, PosixFileAttributeView.class)
        .setGroup(
            file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByGroupName(group));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
  }

  private void writeHeader(
      Path file, long sizeBytes, int ring, long incarnation, RingLineage lineage)
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
      offset += RingLineageLayout.SIZE_BYTES;
    }
  }

  private static void putInt(MemorySegment header, long offset, int value) {
    header.set(RingHeader.INT, offset, value);
  }

  private static void putLong(MemorySegment header, long offset, long value) {
    header.set(RingHeader.LONG, offset, value);
  }

  private static void remove(Path temporary) {
    try {
      Files.deleteIfExists(temporary);
    } catch (IOException alreadyFailing) {
      // The first failure is the one to report.
    }
  }
}
