// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import java.nio.file.Path;

/** What a reader says when a ring is not as its protocol promises, and what to do about it. */
record RingDamage(Path path) {
  private static final String MAKE_ANEW = "; start the tap again, it makes the file anew";
  private static final String FREED_OR_DAMAGED = ": the lane was freed or the header is damaged";

  RingFileException beyondRing(long checkpointPosition, long published) {
    return damage(
        "the checkpoint stands at position "
            + checkpointPosition
            + ", beyond the ring's "
            + published
            + "; the file was damaged or exchanged");
  }

  RingFileException wentBack(long published, long position) {
    return damage(
        "the producer is at position "
            + published
            + ", behind this reader at "
            + position
            + ": the header is damaged"
            + MAKE_ANEW);
  }

  RingFileException tooFarAhead(long published, long slotCount, long position) {
    return damage(
        "the producer is at position "
            + published
            + ", more than "
            + slotCount
            + " slots past this reader at "
            + position
            + FREED_OR_DAMAGED);
  }

  RingFileException writtenOver(long reserved, long position) {
    return damage(
        "the producer writes up to position "
            + reserved
            + ", over what this reader holds at "
            + position
            + FREED_OR_DAMAGED);
  }

  RingFileException wrongGeneration(long position, int found, int expected) {
    return damage(
        "slot of position "
            + position
            + " has generation "
            + found
            + ", not "
            + expected
            + ": the producer broke its word or the file is damaged");
  }

  RingFileException noControlRecord(long position, int kind) {
    return damage(
        "the control index names position "
            + position
            + ", but the record there is of kind "
            + kind
            + ", neither TIME nor LOSS: the file is damaged"
            + MAKE_ANEW);
  }

  RingFileException impossibleCount(long position, long packets, String what) {
    return damage(
        "the control record at position "
            + position
            + " tells of "
            + packets
            + " "
            + what
            + ": the file is damaged"
            + MAKE_ANEW);
  }

  RingFileException entryTooLong(long position) {
    return damage(
        "the entry at position "
            + position
            + " says that it goes on beyond what is published: the file is damaged"
            + MAKE_ANEW);
  }

  RingFileException laneLost(int lane) {
    return damage(
        "lane "
            + lane
            + " now belongs to another reader or was freed, by an operator or because this reader gave no"
            + " sign of life; it must stop, and a restart goes on at its checkpoint");
  }

  private RingFileException damage(String what) {
    return new RingFileException(path + ": " + what);
  }
}
