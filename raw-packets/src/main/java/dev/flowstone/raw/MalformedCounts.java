// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.raw;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Counts malformed records by reason and remembers the places of the first few. */
public final class MalformedCounts {
  /** Places remembered; every further one is only counted. */
  public static final int MAX_NOTES = 64;

  private final Map<MalformedReason, Long> counts = new EnumMap<>(MalformedReason.class);
  private final List<MalformedNote> notes = new ArrayList<>();

  public void add(MalformedReason reason, Path file, long offset) {
    counts.merge(reason, 1L, Long::sum);
    MalformedNote note = new MalformedNote(reason, file, offset);
    // A replay in laps meets the same places again.
    if (notes.size() < MAX_NOTES && !notes.contains(note)) {
      notes.add(note);
    }
  }

  public Map<MalformedReason, Long> counts() {
    return counts;
  }

  public List<MalformedNote> notes() {
    return notes;
  }
}
