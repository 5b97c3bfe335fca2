// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** Holds what a ring file's header claims against what the file is. */
final class RingFileCheck {
  private static final String FOREIGN = "; point at a ring file that ./flowstone tap made";

  private RingFileCheck() {}

  static void requireHeader(Path path, long sizeBytes) {
    if (sizeBytes < RingFileHeaderLayout.HEADER_BYTES) {
      throw new RingFileException(
          path + ": " + sizeBytes + " bytes are too few for a ring file's header" + FOREIGN);
    }
  }

  static RingIdentity identity(Path path, MemorySegment file) {
    requireMagic(path, file);
    RingIdentity identity = read(file);
    // Which contents there are is for those to know who look into slots.
    requireField(path, "content", identity.content(), 1, Integer.MAX_VALUE);
    requireField(path, "ring count", identity.ringCount(), 1, RingFileHeaderLayout.MAX_RINGS);
    requireField(path, "ring", identity.ring(), 0, identity.ringCount() - 1);
    requireField(
        path,
        "the stream's ring",
        StreamNumber.ring(identity.stream()),
        identity.ring(),
        identity.ring());
    requireField(
        path,
        "slots log2",
        identity.slotsLog2(),
        RingFileHeaderLayout.LEAST_SLOTS_LOG2,
        RingFileHeaderLayout.MOST_SLOTS_LOG2);
    requireField(
        path, "max parallelism", identity.maxParallelism(), 1, RingFileHeaderLayout.MAX_KEY_GROUPS);
    requireSize(path, file.byteSize(), identity);
    return identity;
  }

  private static void requireMagic(Path path, MemorySegment file) {
    long magic = file.get(RingHeader.LONG, RingFileHeaderLayout.MAGIC_OFFSET);
    if (magic != RingFileHeaderLayout.MAGIC) {
      throw new RingFileException(
          path + ": not a ring file (it begins with 0x" + Long.toHexString(magic) + ")" + FOREIGN);
    }
    int version = file.get(RingHeader.INT, RingFileHeaderLayout.ABI_VERSION_OFFSET);
    if (version != RingFileHeaderLayout.ABI_VERSION) {
      throw new RingFileException(
          path
              + ": layout version "
              + version
              + ", this program knows version "
              + RingFileHeaderLayout.ABI_VERSION
              + "; run tap and job from the same release");
    }
  }

  private static RingIdentity read(MemorySegment file) {
    return new RingIdentity(
        file.get(RingHeader.INT, RingFileHeaderLayout.RING_OFFSET),
        file.get(RingHeader.INT, RingFileHeaderLayout.RING_COUNT_OFFSET),
        file.get(RingHeader.LONG, RingFileHeaderLayout.INCARNATION_OFFSET),
        file.get(RingHeader.LONG, RingFileHeaderLayout.STREAM_OFFSET),
        file.get(RingHeader.INT, RingFileHeaderLayout.CONTENT_OFFSET),
        file.get(RingHeader.INT, RingFileHeaderLayout.SLOTS_LOG2_OFFSET),
        file.get(RingHeader.INT, RingFileHeaderLayout.CLOCK_OFFSET),
        file.get(RingHeader.INT, RingFileHeaderLayout.MAX_PARALLELISM_OFFSET),
        file.get(RingHeader.LONG, RingFileHeaderLayout.CREATED_NS_OFFSET),
        RingHeader.text(
            file, RingFileHeaderLayout.TAP_NAME_OFFSET, RingFileHeaderLayout.TAP_NAME_LENGTH));
  }

  private static void requireField(Path path, String field, int value, int least, int most) {
    if (value < least || value > most) {
      throw new RingFileException(
          path
              + ": damaged header: "
              + field
              + " is "
              + value
              + ", not "
              + least
              + " to "
              + most
              + FOREIGN);
    }
  }

  private static void requireSize(Path path, long sizeBytes, RingIdentity identity) {
    long neededBytes =
        RingFileHeaderLayout.HEADER_BYTES + identity.slotCount() * RingFile.SLOT_BYTES;
    if (sizeBytes < neededBytes) {
      throw new RingFileException(
          path
              + ": truncated: "
              + sizeBytes
              + " bytes, its header asks for "
              + neededBytes
              + "; start the tap again, it makes the file anew");
    }
  }
}
