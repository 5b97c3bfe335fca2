// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.offheap.ring.RingAppender;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * What is lost of a card's packets until ring 0 tells of it. Any thread adds; the one that fills
 * ring 0 tells.
 */
final class CardLosses {
  private final Map<CardLoss, LongAdder> counts = new EnumMap<>(CardLoss.class);
  private final AtomicLong untold = new AtomicLong();
  private volatile long latestNs;

  /** What was counted before the latest start. */
  private volatile long beforeStart;

  CardLosses() {
    for (CardLoss cause : CardLoss.values()) {
      counts.put(cause, new LongAdder());
    }
  }

  /**
   * @param timeNs when they were lost or that became known, by the card's clock
   */
  void add(CardLoss cause, long packets, long timeNs) {
    if (packets > 0) {
      counts.get(cause).add(packets);
      latestNs = timeNs;
      untold.addAndGet(packets);
    }
  }

  /** The same of packets that ring 0 has told of already. */
  void addTold(CardLoss cause, long packets) {
    counts.get(cause).add(packets);
  }

  /** The card's counters begin anew. */
  void beginRun() {
    beforeStart = total();
  }

  /** Of the packets that came since the latest start. */
  long sinceStart() {
    return total() - beforeStart;
  }

  private long total() {
    return counts.values().stream().mapToLong(LongAdder::sum).sum();
  }

  /** Has ring 0 tell what it has not told. */
  void tell(RingAppender ring) {
    if (untold.get() > 0) {
      ring.lostBeforeTap(untold.getAndSet(0), latestNs);
    }
  }

  Map<CardLoss, Long> counts() {
    Map<CardLoss, Long> all = new EnumMap<>(CardLoss.class);
    counts.forEach((cause, count) -> all.put(cause, count.sum()));
    return all;
  }
}
