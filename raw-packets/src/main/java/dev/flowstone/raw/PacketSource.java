// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.raw;

/**
 * Where packets come from. One thread fills batches; whoever opened the source closes it. {@link
 * #counters()} may be read by the filling thread only.
 */
public interface PacketSource extends AutoCloseable {
  /** Nothing will come any more. */
  int END = -1;

  long NO_TIME = Long.MIN_VALUE;

  /**
   * Empties the batch, sets its base and adds the next packets.
   *
   * <p>The frames stay where the descriptors say until the next call, which may give their memory
   * back: consume a batch before asking for the next one. Nobody writes into them.
   *
   * @return how many were added; 0 when there is nothing right now; {@link #END} at the end
   */
  int fill(RawPacketBatch batch);

  /**
   * Has the source catch nothing more, when no more is wanted.
   *
   * @return whether there may be packets that were caught already: {@link #fill} gives them, then
   *     {@link #END}. Not so where packets are made or read only as they are asked for.
   */
  default boolean stopCatching() {
    return false;
  }

  /** Where the times come from, as the ring file's header names it ({@code RingClock}). */
  int clock();

  /**
   * Asked when {@link #fill} had nothing: a time of that clock that no packet to come will precede,
   * or {@link #NO_TIME} where only packets tell the time.
   */
  default long idleClockNs() {
    return NO_TIME;
  }

  /**
   * Asked after each {@link #fill}, also the last: how many packets were lost before the tap since
   * this was last asked. Their place in the stream is before the batch that was just filled.
   */
  default long takeLostBeforeTap() {
    return 0;
  }

  /** The same for packets that another clock timed than {@link #clock} says. */
  default long takeOtherClockPackets() {
    return 0;
  }

  SourceCounters counters();

  /** How much of the work is done, from 0 to 1; NaN when there is no end in sight. */
  double progress();

  @Override
  void close();
}
