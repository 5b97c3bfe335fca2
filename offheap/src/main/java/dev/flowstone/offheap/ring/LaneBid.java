// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.LaneMode;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import java.util.Optional;

/**
 * A reader's way into a vacant lane, in five steps, each of which may be its last:
 *
 * <ol>
 *   <li>{@link #open}: the lane is CLAIMING, with the claimer's process in the word. From here on
 *       nobody else writes a name there, and the producer does not wait for the lane.
 *   <li>{@link #writeName}: name and process, plain stores.
 *   <li>{@link #announce}: the word says that the name stands.
 *   <li>{@link #isOnlyOne}: looks at the other lanes. Two that claim one name have both announced
 *       before they look, so at least one sees the other; the one in the lower lane goes first.
 *   <li>{@link #hold}: the lane is GATING or OBSERVING.
 * </ol>
 *
 * <p>Whoever finds its word changed has lost the lane and begins again. One thread.
 */
final class LaneBid {
  /**
   * Who bids.
   *
   * @param nowSeconds wall clock as the bid begins
   */
  record Reader(String name, int pid, long nowSeconds) {}

  private final RingLanes lanes;
  private final int lane;
  private final Reader reader;
  private long word;

  private LaneBid(RingLanes lanes, int lane, Reader reader, long word) {
    this.lanes = lanes;
    this.lane = lane;
    this.reader = reader;
    this.word = word;
  }

  /**
   * Begins a bid.
   *
   * @param vacant the lane's word when it was found vacant
   * @return empty if it no longer is
   */
  static Optional<LaneBid> open(RingLanes lanes, int lane, long vacant, Reader reader) {
    long claiming = LaneClaim.claiming(vacant, reader.pid(), reader.nowSeconds());
    return lanes.compareAndSet(lane, vacant, claiming)
        ? Optional.of(new LaneBid(lanes, lane, reader, claiming))
        : Optional.empty();
  }

  void writeName() {
    lanes.writeName(lane, reader.name(), reader.pid());
  }

  /** False: the lane is lost. */
  boolean announce() {
    return exchange(LaneClaim.named(word));
  }

  /**
   * Whether no other lane bears the name; pushes bids in higher lanes aside.
   *
   * @param isPatient false: those in lower lanes too, they had their time
   */
  boolean isOnlyOne(boolean isPatient) {
    for (int other = 0; other < RingFileHeaderLayout.LANE_COUNT; other++) {
      if (other != lane && !givesWay(other, isPatient)) {
        return false;
      }
    }
    return true;
  }

  private boolean givesWay(int other, boolean isPatient) {
    long seen = lanes.claimWord(other);
    boolean isRival =
        LaneClaim.mode(seen) != LaneMode.FREE
            && LaneClaim.isNamed(seen)
            && lanes.bears(other, reader.name());
    if (!isRival) {
      return true;
    }
    boolean goesFirst = RingLanes.isInUse(seen) || (other < lane && isPatient);
    return !goesFirst && lanes.compareAndSet(other, seen, LaneClaim.next(seen, LaneMode.FREE, 0));
  }

  /** Empty: the lane is lost. */
  Optional<RingLane> hold(int mode, long position) {
    return exchange(LaneClaim.released(word, mode, position))
        ? Optional.of(new RingLane(lanes, lane, word))
        : Optional.empty();
  }

  /** Leaves the way to another; nothing happens when the lane is lost already. */
  void withdraw() {
    exchange(LaneClaim.released(word, LaneMode.FREE, 0));
  }

  private boolean exchange(long update) {
    if (!lanes.compareAndSet(lane, word, update)) {
      return false;
    }
    word = update;
    return true;
  }
}
