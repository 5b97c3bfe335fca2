// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static dev.flowstone.model.abi.RingFileHeaderLayout.RESERVED_SLOTS;

import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/**
 * A reader's view of which positions a ring still holds. The producer may be writing any slot below
 * its reserved position, so position p stands while {@code reserved <= p + slots}.
 *
 * <p>The counterpart of {@link RingReservation}.
 */
final class RingWindow implements RingLoan {
  /** A producer this far ahead of a reader that only follows it is not one. */
  private static final int MOST_SKIPS = 1000;

  /** Of the slots, for a producer whose reader has yet to release any. */
  private static final int ROOM_SHARE = 4;

  private final Path path;
  private final RingHeader words;
  private final long slotCount;

  RingWindow(Path path, RingHeader words, long slotCount) {
    this.path = path;
    this.words = words;
    this.slotCount = slotCount;
  }

  @Override
  public boolean stands(long position) {
    VarHandle.loadLoadFence();
    return stands(position, words.reservedPosition());
  }

  private boolean stands(long position, long reserved) {
    return reserved - position <= slotCount;
  }

  /** Leaves the producer the slots that it keeps for its last LOSS and TIME record. */
  long oldest() {
    return oldest(words.reservedPosition());
  }

  private long oldest(long reserved) {
    long oldest = reserved - slotCount + RESERVED_SLOTS;
    return Math.clamp(oldest, 0, Math.max(0, words.positionAcquire()));
  }

  /** The same, but a quarter of the ring is left to the producer. */
  long oldestWithRoom() {
    long reserved = words.reservedPosition();
    return Math.max(oldest(reserved), reserved - slotCount + slotCount / ROOM_SHARE);
  }

  /**
   * Where a reader may claim a lane that wants to go on at a position: there while it stands, else
   * at the oldest. A lane at what is gone keeps the producer from writing anything.
   */
  long standing(long position) {
    long reserved = words.reservedPosition();
    return stands(position, reserved) ? position : oldest(reserved);
  }

  /**
   * After a lane was claimed at a position: moves the lane on until the ring holds what the lane
   * does. A producer who announced before it could see the lane is seen here.
   *
   * <p>Each try looks at the announcement once: the producer takes back what it did not need, and
   * by a second look the oldest position could lie behind the one that was found gone.
   *
   * @param release moves the lane
   * @return the position that the lane now stands at
   */
  long settle(long position, LongConsumer release) {
    VarHandle.loadLoadFence();
    long settled = position;
    for (int tries = 0; tries < MOST_SKIPS; tries++) {
      long reserved = words.reservedPosition();
      if (stands(settled, reserved)) {
        return settled;
      }
      settled = oldest(reserved);
      release.accept(settled);
    }
    throw new RingFileException(
        path
            + ": the producer announces position "
            + words.reservedPosition()
            + " but published "
            + words.positionAcquire()
            + ": the header is damaged");
  }
}
