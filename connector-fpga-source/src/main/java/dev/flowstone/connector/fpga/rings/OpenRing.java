// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.offheap.ring.RingReader;
import java.lang.foreign.MemorySegment;

/**
 * One incarnation of a ring, read by its one gating reader. Whoever opened it closes it; its memory
 * is gone then. One thread.
 */
public interface OpenRing extends AutoCloseable {

  long incarnation();

  /** Key groups that the tap spreads over its rings. */
  int maxParallelism();

  int ringCount();

  /** Slots that the ring has. */
  long slotCount();

  /**
   * Moves to the next run of at most that many packets, or says what there is instead. Losses found
   * on the way wait in {@link #takeUnreportedLost}.
   */
  RingReader.Poll poll(int mostPackets);

  /** Position of the run's first packet. */
  long runPosition();

  int runCount();

  /** Base of the run's times, or the time that a CLOCK told. */
  long timeBaseNs();

  boolean isClockTrusted();

  /** Packets lost since this was last asked. */
  long takeUnreportedLost();

  /** Packets lost in this ring so far, over all incarnations that this reader followed. */
  long lostPackets();

  /** Packets that nothing explains the lack of: not 0 only when tap or reader have a fault. */
  long unexplainedPackets();

  /** Whether this reader still holds the ring's space; if not, another reads it. */
  boolean isHeld();

  /** Whether it resumed from an incarnation so old that nobody knows how much was missed. */
  boolean isMissedUnknown();

  /** The ring's memory; a position lies at {@link #offsetBytes}. */
  MemorySegment slots();

  long offsetBytes(long position);

  /** What a successor needs to go on here. */
  RingProgress progress();

  /**
   * Gives the space of all positions below this one back to the producer.
   *
   * @throws dev.flowstone.offheap.ring.RingFileException when another reader took over
   */
  void release(long position);

  /** Slots published but not yet read. */
  long backlogSlots();

  /** Whether this incarnation's place is taken by another, or by none. */
  boolean isReplaced();

  /** Gives up the hold on the producer for good. */
  void leave();

  /** Unmaps the ring; the hold on the producer stays, for a successor. */
  @Override
  void close();
}
