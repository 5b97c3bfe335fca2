// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.offheap.Reason;
import dev.flowstone.offheap.ring.RingSetWriter;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Makes the rings of a receiver, but never more often than once a second. Reports a failure instead
 * of throwing an exception, because anyone who can send a datagram can cause one. One thread.
 */
final class BoundedRingMaker {
  private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(1);

  private final RingMaker maker;
  private final ReceiveOptions options;
  private final Consumer<String> say;
  private final Consumer<RingSetWriter> made;
  private final RareLines rareLines;
  private boolean hasPause;
  private long pauseEndNs;

  BoundedRingMaker(
      RingMaker maker,
      ReceiveOptions options,
      Consumer<String> say,
      Consumer<RingSetWriter> made,
      RareLines rareLines) {
    this.maker = maker;
    this.options = options;
    this.say = say;
    this.made = made;
    this.rareLines = rareLines;
  }

  /** Returns whether the latest attempt was less than a second ago. */
  boolean isPaused(long nowNs) {
    return hasPause && nowNs - pauseEndNs < 0;
  }

  /** Returns new rings, or empty after a failure. */
  Optional<ReceivedRings> make(RingArrangement arrangement, long nowNs) {
    long startNs = System.nanoTime();
    try {
      return Optional.of(makeAndAnnounce(arrangement));
    } catch (RuntimeException e) {
      rareLines.say(
          RareLines.Kind.RINGS,
          nowNs,
          () ->
              "cannot make "
                  + arrangement.ringCount()
                  + " rings: "
                  + Reason.of(e)
                  + "; retrying once per second");
      return Optional.empty();
    } finally {
      hasPause = true;
      // Otherwise attempts that take long would follow each other without a pause.
      pauseEndNs = nowNs + (System.nanoTime() - startNs) + PAUSE_NS;
    }
  }

  private ReceivedRings makeAndAnnounce(RingArrangement arrangement) {
    ReceivedRings rings = new ReceivedRings(arrangement, maker, options, say);
    try {
      made.accept(rings.writer());
      return rings;
    } catch (RuntimeException e) {
      discard(rings);
      throw e;
    }
  }

  /** Closes rings that others take the place of, without an end: their readers follow these. */
  void discard(ReceivedRings rings) {
    maker.forget();
    rings.close();
  }
}
