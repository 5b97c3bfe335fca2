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
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * The files of rings to come, under temporary names and with nothing in them: for the tap that has
 * the folder.
 */
public final class RingRoom {
  private static final long TOUCHED_BYTES = 64L << 20;

  private final RingDirectory directory;
  private final int ringCount;
  private final long fileBytes;

  /** As the file system knows them: under these names another tap may make its own one day. */
  private final List<Object> keys = new ArrayList<>();

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
        room.keys.add(key(room.file(ring)));
      }
      return room;
    } catch (NativeCallException e) {
      directory.deleteTemporaries();
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

  /**
   * Has Linux zero the memory, which takes seconds for a few GiB, and else comes later. Another
   * thread may make rings of it meanwhile, or give it back.
   *
   * @param isOver when to leave it at that
   */
  public void touch(BooleanSupplier isOver) {
    for (int ring = 0; ring < ringCount; ring++) {
      try (FileChannel channel =
          FileChannel.open(file(ring), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        touch(channel, isOver);
      } catch (NoSuchFileException gone) {
        return;
      } catch (IOException e) {
        throw cannotMake(directory, e);
      }
    }
  }

  private void touch(FileChannel channel, BooleanSupplier isOver) throws IOException {
    for (long at = 0; at < fileBytes && !isOver.getAsBoolean(); at += TOUCHED_BYTES) {
      long bytes = Math.min(TOUCHED_BYTES, fileBytes - at);
      try (Arena arena = Arena.ofConfined()) {
        Posix.populate(channel.map(FileChannel.MapMode.READ_WRITE, at, bytes, arena));
      }
    }
  }

  /** Whether it is that of such rings there. */
  boolean fits(RingDirectory wanted, RingSpecification specification) {
    return directory.equals(wanted)
        && ringCount == specification.ringCount()
        && fileBytes == fileBytes(wanted, specification)
        && IntStream.range(0, ringCount).allMatch(this::isThere);
  }

  Path file(int ring) {
    return directory.temporaryFile(ring);
  }

  long fileBytes() {
    return fileBytes;
  }

  /** Whoever has made no rings of it does. */
  public void giveBack() {
    for (int ring = 0; ring < ringCount; ring++) {
      if (isThere(ring)) {
        try {
          Files.deleteIfExists(file(ring));
        } catch (IOException e) {
          throw cannotMake(directory, e);
        }
      }
    }
  }

  private boolean isThere(int ring) {
    return keys.get(ring).equals(key(file(ring)));
  }

  /** Empty: there is no such file. */
  private static Object key(Path file) {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    } catch (IOException gone) {
      return Optional.empty();
    }
  }
}
