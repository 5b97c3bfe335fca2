// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.raw;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What a source has done so far.
 *
 * @param packets packets handed out
 * @param wireBytes their bytes on the wire
 * @param capturedBytes their bytes that were captured
 * @param lostBeforeTap packets that were on the wire and never came here: the kernel had no room
 *     for them (live capture), or the file itself tells that its capture lost them. On a loopback
 *     interface a kernel before Linux 4.20 counts a packet once more as it leaves
 * @param skipped records passed over on purpose: blocks without a packet, padding, and what such a
 *     kernel shows as it leaves
 * @param malformed records that could not be used, by reason; reasons that did not occur are absent
 * @param notes the first places where something was malformed, at most {@link
 *     MalformedCounts#MAX_NOTES}
 * @param notices what else was noticed, how often; what did not occur is absent
 */
public record SourceCounters(
    long packets,
    long wireBytes,
    long capturedBytes,
    long lostBeforeTap,
    long skipped,
    Map<MalformedReason, Long> malformed,
    List<MalformedNote> notes,
    Map<SourceNotice, Long> notices) {
  public SourceCounters {
    malformed = Map.copyOf(malformed);
    notes = List.copyOf(notes);
    notices = Map.copyOf(notices);
  }

  /** Of both sources together, which hear the same interface. */
  public SourceCounters plus(SourceCounters other) {
    Map<MalformedReason, Long> allMalformed = new EnumMap<>(MalformedReason.class);
    allMalformed.putAll(malformed);
    other.malformed.forEach((reason, count) -> allMalformed.merge(reason, count, Long::sum));
    Map<SourceNotice, Long> allNotices = new EnumMap<>(SourceNotice.class);
    allNotices.putAll(notices);
    other.notices.forEach((notice, count) -> allNotices.merge(notice, count, notice::together));
    if (!sawOwnTrafficOnly() || !other.sawOwnTrafficOnly()) {
      allNotices.remove(SourceNotice.OWN_TRAFFIC_ONLY);
    }
    return new SourceCounters(
        packets + other.packets,
        wireBytes + other.wireBytes,
        capturedBytes + other.capturedBytes,
        lostBeforeTap + other.lostBeforeTap,
        skipped + other.skipped,
        allMalformed,
        Stream.concat(notes.stream(), other.notes.stream())
            .limit(MalformedCounts.MAX_NOTES)
            .toList(),
        allNotices);
  }

  private boolean sawOwnTrafficOnly() {
    return packets == 0 || notices.containsKey(SourceNotice.OWN_TRAFFIC_ONLY);
  }

  /** Of a source that has nothing else to notice. */
  public SourceCounters(
      long packets,
      long wireBytes,
      long capturedBytes,
      long lostBeforeTap,
      long skipped,
      Map<MalformedReason, Long> malformed,
      List<MalformedNote> notes) {
    this(packets, wireBytes, capturedBytes, lostBeforeTap, skipped, malformed, notes, Map.of());
  }
}
