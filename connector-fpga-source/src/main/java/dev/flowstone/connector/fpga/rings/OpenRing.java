// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import dev.flowstone.model.PacketLoss;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.offheap.ring.RingReader;
import dev.flowstone.offheap.ring.RingTime;

/**
 * One incarnation of a ring, with a lane of its own. Whoever opened it closes it; its memory is
 * gone then. One thread, except for {@link #showLife}.
 */
public interface OpenRing extends AutoCloseable {

  /** Which ring this is, of which incarnation and size. */
  RingIdentity identity();

  /**
   * Moves to the next run of at most that many packets, or says what there is instead. Losses found
   * on the way wait in {@link #takeUnreportedLoss}, the time of a CLOCK in {@link #time}.
   */
  RingReader.Poll poll(int mostPackets);

  /** The packets that {@link #poll} found last. */
  RingRun run();

  /** Packets lost since this was last asked. */
  PacketLoss takeUnreportedLoss();

  /** Packets that the ring was offered before this reader began, which knew nothing of it. */
  long packetsBeforeStart();

  /** Packets that nothing explains the lack of: not 0 only when tap or reader have a fault. */
  long unexplainedPackets();

  /** Whether it resumed from an incarnation so old that nobody knows how much was missed. */
  boolean isMissedUnknown();

  /** The next slot to read. */
  long position();

  /** The ring's clock there. */
  RingTime time();

  /** How far it was read: what a successor needs to go on here. */
  RingProgress progress();

  /** Slots published but not yet read. */
  long backlogSlots();

  /** Packets dropped that the ring, which is full, has no room to tell of. */
  long untoldPackets();

  /**
   * Gives the space of all positions below this one back to the producer, if it was held.
   *
   * @throws dev.flowstone.offheap.ring.RingFileException when another reader took over
   */
  void release(long position);

  /** Whether the lane is still this reader's; if not, another reads under its name. */
  boolean isHeld();

  /** Whether this incarnation's place is taken by another, or by none. */
  boolean isReplaced();

  /** Tells the producer that somebody is still there. Any thread. */
  void showLife();

  /** Gives up the hold on the producer for good. */
  void leave();

  /** Unmaps the ring; a hold on the producer stays, for a successor. */
  @Override
  void close();
}
