// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/** What happened since this page is served, as far as somebody looked. Any thread. */
final class Incidents {
  private static final int MOST = 100;

  /** What comes back sooner is still the same. */
  private static final long QUIET_MS = 5_000;

  /**
   * Something that whoever runs this should know of.
   *
   * @param key by which it is the same one as before
   * @param endMs when it was seen last
   * @param goesOn it has not ended yet
   */
  record Incident(String key, Kind kind, long beginMs, long endMs, boolean goesOn, String text) {}

  /** What it is about. */
  enum Kind {
    TASK_MANAGER,
    RING,
    RULES
  }

  private final Deque<Incident> newestFirst = new ArrayDeque<>();

  /** It happened at that moment, and is over. */
  synchronized void happened(Kind kind, long atMs, String text) {
    add(new Incident("", kind, atMs, atMs, false, text));
  }

  /** It goes on. */
  synchronized void goesOn(String key, Kind kind, long atMs, String text) {
    long beganMs = atMs;
    for (Iterator<Incident> each = newestFirst.iterator(); each.hasNext(); ) {
      Incident incident = each.next();
      if (incident.goesOn && incident.key.equals(key)) {
        beganMs = incident.beginMs;
        each.remove();
      }
    }
    add(new Incident(key, kind, beganMs, atMs, true, text));
  }

  /** What went on and is of none of these keys does not now; after a while it has ended. */
  synchronized void areQuietBut(Set<String> keys, long atMs) {
    List<Incident> all = List.copyOf(newestFirst);
    newestFirst.clear();
    for (Incident each : all) {
      boolean isOver = each.goesOn && !keys.contains(each.key) && atMs - each.endMs > QUIET_MS;
      newestFirst.add(
          isOver
              ? new Incident(each.key, each.kind, each.beginMs, each.endMs, false, each.text)
              : each);
    }
  }

  private void add(Incident incident) {
    newestFirst.addFirst(incident);
    if (newestFirst.size() > MOST) {
      newestFirst.removeLast();
    }
  }

  synchronized List<Incident> all() {
    return List.copyOf(newestFirst);
  }
}
