// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.pane;

import dev.flowstone.model.TupleHash;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The panes of one subtask that are being summed up: an object for each subject and pane, none for
 * a packet. Open addressing, at most half full. One thread.
 */
final class PaneTable {
  /** Of 3 KB at most each. */
  static final int MOST_PANES = 1 << 14;

  private final OpenPane[] slots = new OpenPane[2 * MOST_PANES];
  private int size;
  private long earliestEndNs = Long.MAX_VALUE;

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

    private int firstSlot() {
      return PaneTable.firstSlot(
          watch, subject.ipv4(), subject.high(), subject.low(), subject.port(), number);
    }

    private PanePart toPart() {
      return new PanePart(subject, watch.terms(subject), number, sum.toPane());
    }
  }

  boolean isFull() {
    return size == MOST_PANES;
  }

  /**
   * The sum of a pane of this subject; a new one if there is none, for which there must be room.
   */
  PaneSum at(Watch watch, boolean ipv4, long high, long low, int port, long number) {
    int slot = firstSlot(watch, ipv4, high, low, port, number);
    while (slots[slot] != null) {
      if (slots[slot].is(watch, ipv4, high, low, port, number)) {
        return slots[slot].sum;
      }
      slot = slot + 1 & slots.length - 1;
    }
    OpenPane made = new OpenPane(watch, watch.subject(ipv4, high, low, port), number);
    slots[slot] = made;
    size++;
    earliestEndNs = Math.min(earliestEndNs, made.endNs());
    return made.sum;
  }

  private static int firstSlot(
      Watch watch, boolean ipv4, long high, long low, int port, long number) {
    long rest = (long) port << 1 | (ipv4 ? 1 : 0);
    int hash = TupleHash.of(high, low, number, watch.seed(), rest);
    return hash & 2 * MOST_PANES - 1;
  }

  /** Hands over, and forgets, the panes that end at this time or before; how many. */
  int take(long nowNs, Consumer<PanePart> parts) {
    if (earliestEndNs > nowNs) {
      return 0;
    }
    List<OpenPane> staying = new ArrayList<>();
    int taken = 0;
    for (int i = 0; i < slots.length; i++) {
      OpenPane pane = slots[i];
      slots[i] = null;
      if (pane == null) {
        continue;
      }
      if (pane.endNs() <= nowNs) {
        parts.accept(pane.toPart());
        taken++;
      } else {
        staying.add(pane);
      }
    }
    putBack(staying);
    return taken;
  }

  private void putBack(List<OpenPane> staying) {
    size = staying.size();
    earliestEndNs = staying.stream().mapToLong(OpenPane::endNs).min().orElse(Long.MAX_VALUE);
    for (OpenPane pane : staying) {
      int slot = pane.firstSlot();
      while (slots[slot] != null) {
        slot = slot + 1 & slots.length - 1;
      }
      slots[slot] = pane;
    }
  }
}
