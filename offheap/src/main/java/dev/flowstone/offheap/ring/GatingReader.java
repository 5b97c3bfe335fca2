// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.LaneMode;
import java.time.Duration;

/**
 * A reader that the producer waits for: the memory of what it read stays as it is until {@link
 * #release}.
 */
public final class GatingReader extends RingReader {
  private final RingSlots slots = RingSlots.of(file);

  /** Takes over the lane that bore this name before, if there is one. */
  public GatingReader(RingFile file, String name, RingStart start) {
    this(file, name, start, USUAL_EXPIRY);
  }

  /**
   * @param expiry silence after which the producer may take the reader for gone, see {@link
   *     #showLife}
   */
  public GatingReader(RingFile file, String name, RingStart start, Duration expiry) {
    this(file, ReaderName.of(name), start, expiry);
  }

  /**
   * @param name and the job that reads; another living job's lane is not taken over
   * @throws LaneTakenException if there is one
   */
  public GatingReader(RingFile file, ReaderName name, RingStart start, Duration expiry) {
    this(file, EntryLayout.of(file.identity().content()), name, start, expiry);
  }

  GatingReader(
      RingFile file, EntryLayout layout, ReaderName name, RingStart start, Duration expiry) {
    super(file, layout, new LaneOwner(name, LaneMode.GATING, expiry), start);
  }

  @Override
  void beforePoll() {
    if (!lane.isHeld()) {
      throw damage.laneLost(lane.number());
    }
  }

  @Override
  void requireReachable(long published, long position) {
    long slotCount = file.identity().slotCount();
    if (published - position > slotCount) {
      throw damage.tooFarAhead(published, slotCount, position);
    }
  }

  @Override
  void overrun(long position) {
    throw damage.writtenOver(file.words().reservedPosition(), position);
  }

  @Override
  void beforeRun(long position) {
    requireGeneration(position, slots.generationAt(position));
  }

  /**
   * Lets the producer have everything below a position.
   *
   * @throws RingFileException if another reader, an operator or the producer took the lane
   */
  public void release(long released) {
    moveLane(released);
  }
}
