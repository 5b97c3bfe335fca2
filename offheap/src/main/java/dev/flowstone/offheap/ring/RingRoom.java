// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.offheap.NativeCallException;
import dev.flowstone.offheap.Posix;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The files of rings to come, under temporary names and with nothing in them. One thread at a time,
 * of the tap that has the folder.
 */
public final class RingRoom {
  private final RingDirectory directory;
  private final int ringCount;
  private final long fileBytes;

  private RingRoom(RingDirectory directory, int ringCount, long fileBytes) {
    this.directory = directory;
    this.ringCount = ringCount;
    this.fileBytes = fileBytes;
  }

  /** Takes it; what a tap began to make that died meanwhile is removed. */
  public static RingRoom take(RingDirectory directory, RingSpecification specification) {
    directory.deleteTemporaries();
    RingRoom room =
        new RingRoom(directory, specification.ringCount(), fileBytes(directory, specification));
    try {
      for (int ring = 0; ring < room.ringCount; ring++) {
        Posix.createAllocated(room.file(ring), room.fileBytes);
      }
      return room;
    } catch (NativeCallException e) {
      room.giveBack();
      throw new RingFileException(
          directory.path()
              + ": no room for "
              + room.ringCount
              + " ring files of "
              + (room.fileBytes >> 20)
              + " MiB, beside the rings that are there: "
              + e.getMessage()
              + "; choose a smaller --ring-bytes or another --rings, or remove what takes the room",
          e);
    }
  }

  /** Whole blocks of the file system: hugetlbfs maps nothing less than a huge page. */
  private static long fileBytes(RingDirectory directory, RingSpecification specification) {
    long wanted =
        RingFileHeaderLayout.HEADER_BYTES
            + ((long) RingFile.SLOT_BYTES << specification.slotsLog2());
    try {
      long blockBytes = Files.getFileStore(directory.path()).getBlockSize();
      return Math.ceilDiv(wanted, blockBytes) * blockBytes;
    } catch (IOException e) {
      throw cannotMake(directory, e);
    }
  }

  static RingFileException cannotMake(RingDirectory directory, IOException why) {
    return new RingFileException(
        directory.path() + ": cannot make the ring files: " + Reason.of(why), why);
  }

  /** Has the kernel zero the memory, which takes seconds for a few GiB, and else comes later. */
  public void touch() {
    for (int ring = 0; ring < ringCount; ring++) {
      try (FileChannel channel =
              FileChannel.open(file(ring), StandardOpenOption.READ, StandardOpenOption.WRITE);
          Arena arena = Arena.ofConfined()) {
        Posix.populate(channel.map(FileChannel.MapMode.READ_WRITE, 0, fileBytes, arena));
      } catch (IOException e) {
        throw cannotMake(directory, e);
      }
    }
  }

  /** Whether it is that of such rings there. */
  boolean fits(RingDirectory wanted, RingSpecification specification) {
    return directory.equals(wanted)
        && ringCount == specification.ringCount()
        && fileBytes == fileBytes(wanted, specification);
  }

  Path file(int ring) {
    return directory.temporaryFile(ring);
  }

  long fileBytes() {
    return fileBytes;
  }

  /** Whoever has not made rings of it does. */
  public void giveBack() {
    directory.deleteTemporaries();
  }
}
