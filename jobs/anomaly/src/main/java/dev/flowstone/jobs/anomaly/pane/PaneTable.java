// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.pane;

import dev.flowstone.model.TupleHash;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.ObjLongConsumer;

/**
 * The panes of one subtask that are being summed up: an object for each subject and pane, none for
 * a packet. Open addressing, at most half full. One thread.
 */
final class PaneTable {
  private static final int FIRST_SLOTS = 1 << 12;

  /** Of the heap, for a pane: itself, its subject, its sum without what grows, and two slots. */
  private static final int PANE_BYTES = 280;

  private final long mostBytes;
  private OpenPane[] slots = new OpenPane[FIRST_SLOTS];
  private int size;
  private long bytes;
  private long earliestEndNs = Long.MAX_VALUE;

  PaneTable(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** A pane of a subject. */
  private static final class OpenPane {
    private final PaneSum sum = new PaneSum();
    private final Watch watch;
    private final Subject subject;
    private final long number;

    private OpenPane(Watch watch, Subject subject, long number) {
      this.watch = watch;
      this.subject = subject;
      this.number = number;
    }

    /** A rule's watches are made once, as long as the rules stay. */
    @SuppressWarnings("ReferenceEquality")
    private boolean is(Watch other, boolean ipv4, long high, long low, int port, long pane) {
      return subject.low() == low
          && number == pane
          && subject.port() == port
          && subject.high() == high
          && subject.ipv4() == ipv4
          && watch == other;
    }

    private long endNs() {
      return watch.endNs(number);
    }

    private int hash() {
      return PaneTable.hash(
          watch, subject.ipv4(), subject.high(), subject.low(), subject.port(), number);
    }

    private PanePart toPart() {
      return new PanePart(subject, watch.termsOf(subject), number, sum.toPane());
    }
  }

  /** Then no pane may be added. */
  boolean isFull() {
    return bytes >= mostBytes;
  }

  /** A sum here has taken so much more. */
  void grew(int moreBytes) {
    bytes += moreBytes;
  }

  /**
   * The sum of a pane of this subject; a new one if there is none, for which there must be room.
   */
  PaneSum at(Watch watch, boolean ipv4, long high, long low, int port, long number) {
    int slot = hash(watch, ipv4, high, low, port, number) & slots.length - 1;
    while (slots[slot] != null) {
      if (slots[slot].is(watch, ipv4, high, low, port, number)) {
        return slots[slot].sum;
      }
      slot = slot + 1 & slots.length - 1;
    }
    OpenPane made = new OpenPane(watch, watch.subject(ipv4, high, low, port), number);
    slots[slot] = made;
    bytes += PANE_BYTES + made.sum.memoryBytes();
    size++;
    if (size * 2 > slots.length) {
      OpenPane[] before = slots;
      slots = new OpenPane[2 * before.length];
      Arrays.stream(before).filter(Objects::nonNull).forEach(this::put);
    }
    earliestEndNs = Math.min(earliestEndNs, made.endNs());
    return made.sum;
  }

  private static int hash(Watch watch, boolean ipv4, long high, long low, int port, long number) {
    long rest = (long) port << 1 | (ipv4 ? 1 : 0);
    return TupleHash.of(high, low, number, watch.seed(), rest);
  }

  private void put(OpenPane pane) {
    int slot = pane.hash() & slots.length - 1;
    while (slots[slot] != null) {
      slot = slot + 1 & slots.length - 1;
    }
    slots[slot] = pane;
  }

  /** Of all panes, which stay. Each is made as it is asked for. */
  Iterable<PanePart> parts() {
    return () -> Arrays.stream(slots).filter(Objects::nonNull).map(OpenPane::toPart).iterator();
  }

  /**
   * Hands over, and forgets, the panes that end at this time or before; how many.
   *
   * @param parts gets the end of each with it
   */
  int take(long nowNs, ObjLongConsumer<PanePart> parts) {
    if (earliestEndNs > nowNs) {
      return 0;
    }
    OpenPane[] before = slots;
    int taken = size;
    slots = new OpenPane[before.length];
    size = 0;
    bytes = 0;
    earliestEndNs = Long.MAX_VALUE;
    for (OpenPane pane : before) {
      if (pane == null) {
        continue;
      }
      if (pane.endNs() <= nowNs) {
        parts.accept(pane.toPart(), pane.watch.lastMs(pane.number));
      } else {
        put(pane);
        size++;
        bytes += PANE_BYTES + pane.sum.memoryBytes();
        earliestEndNs = Math.min(earliestEndNs, pane.endNs());
      }
    }
    return taken - size;
  }
}
