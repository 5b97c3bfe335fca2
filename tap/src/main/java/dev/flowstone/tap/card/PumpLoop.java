// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Pumps one ring of a card for as long as it runs: at once when much waits, a little later when it
 * is less, so that a copy from the card, which has a price of its own, is worth it. One thread runs
 * it; another one says when the card has stopped.
 */
final class PumpLoop implements Runnable {
  /** So many slots are fetched at once. */
  private static final int WORTHWHILE_SLOTS = 4_096;

  /** Fewer wait for more no longer than that. */
  private static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(1);

  /** While much comes, and while little does: a look has a price, too. */
  private static final long SHORT_PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(50);

  private static final long USUAL_PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(500);
  private static final long LONG_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

  /** A ring that is silent for so many looks is looked at less often. */
  private static final int SILENT_LOOKS = 200;

  /** What is done by the thread of a ring beside the ring itself. */
  interface Aside {
    void look();
  }

  private final RingPump pump;
  private final Aside aside;
  private final boolean mayWait;
  private volatile boolean cardHasStopped;
  private volatile boolean abandoned;
  private volatile long waitEndNs;
  private volatile long takeEndNs;

  /**
   * @param mayWait whether packets stay in the card while the file has no room for them
   */
  PumpLoop(RingPump pump, boolean mayWait, Aside aside) {
    this.pump = pump;
    this.mayWait = mayWait;
    this.aside = aside;
  }

  @Override
  public void run() {
    long tookNs = System.nanoTime();
    int silentLooks = 0;
    while (!abandoned) {
      aside.look();
      boolean ended = cardHasStopped; // before the look: what comes after it was there by then
      long waiting = pump.waiting();
      long nowNs = System.nanoTime();
      if (ended && nowNs - takeEndNs >= 0) {
        return;
      }
      boolean isWorthwhile =
          waiting >= WORTHWHILE_SLOTS || (waiting > 0 && (ended || nowNs - tookNs >= PATIENCE_NS));
      if (isWorthwhile) {
        silentLooks = 0;
        if (pump.pump(mayWait && (!ended || nowNs - waitEndNs < 0)) != RingPump.Outcome.FULL) {
          tookNs = nowNs;
          continue;
        }
      } else if (waiting == 0 && ended) {
        return;
      } else if (waiting == 0) {
        silentLooks++;
      }
      LockSupport.parkNanos(pauseNs(waiting, silentLooks));
    }
  }

  private static long pauseNs(long waiting, int silentLooks) {
    if (silentLooks >= SILENT_LOOKS) {
      return LONG_PAUSE_NS;
    }
    return waiting < WORTHWHILE_SLOTS / 4 ? USUAL_PAUSE_NS : SHORT_PAUSE_NS;
  }

  /**
   * The card writes nothing more: ends when all is taken that is there.
   *
   * @param waitEndNs from then on what finds no room is dropped; {@link System#nanoTime}
   * @param takeEndNs from then on nothing more is taken
   */
  void finish(long waitEndNs, long takeEndNs) {
    this.waitEndNs = waitEndNs;
    this.takeEndNs = takeEndNs;
    cardHasStopped = true;
  }

  /** Ends at once: the card cannot be asked any more. */
  void abandon() {
    abandoned = true;
  }
}
