// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flowstone.raw.SourceNotice;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the tap counts itself, each where it happens, as its process tells on request.
 *
 * @param sourcePackets packets that the source gave
 * @param lostBeforeTap packets that the kernel had no room for (live capture), or that a capture
 *     file says it lost
 * @param malformed what the source could not use, by reason
 * @param notices what else is worth knowing of the packets or where they come from
 * @param parsed packets that the parser described
 * @param offered packets handed on to the rings
 * @param ended whether nothing changes any more
 */
record TapCounters(
    long sourcePackets,
    long lostBeforeTap,
    Map<String, Long> malformed,
    Map<SourceNotice, Long> notices,
    long parsed,
    long offered,
    boolean ended) {
  static final TapCounters NONE = new TapCounters(0, 0, Map.of(), Map.of(), 0, 0, false);

  static TapCounters parse(JsonNode told) {
    Map<String, Long> malformed = new TreeMap<>();
    told.required("malformed")
        .properties()
        .forEach(reason -> malformed.put(reason.getKey(), reason.getValue().asLong()));
    Map<SourceNotice, Long> notices = new EnumMap<>(SourceNotice.class);
    told.required("notices")
        .properties()
        .forEach(
            notice ->
                notices.put(SourceNotice.valueOf(notice.getKey()), notice.getValue().asLong()));
    return new TapCounters(
        told.required("source_packets").asLong(),
        told.required("lost_before_tap").asLong(),
        malformed,
        notices,
        told.required("parsed").asLong(),
        told.required("offered").asLong(),
        told.required("ended").asBoolean());
  }

  /** Frames that were several packets, most likely, but are counted as one. */
  long mergedFrames() {
    return notices.getOrDefault(SourceNotice.ABOVE_MTU, 0L);
  }
}
