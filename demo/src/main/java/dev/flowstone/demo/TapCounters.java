// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the tap counts itself, each where it happens, as its process tells on request.
 *
 * @param sourcePackets packets that the source gave
 * @param lostBeforeTap packets that the kernel had no room for (live capture), or that a capture
 *     file says it lost
 * @param malformed what the source could not use, by reason
 * @param parsed packets that the parser described
 * @param offered packets handed on to the rings
 * @param ended whether nothing changes any more
 */
record TapCounters(
    long sourcePackets,
    long lostBeforeTap,
    Map<String, Long> malformed,
    long parsed,
    long offered,
    boolean ended) {
  static final TapCounters NONE = new TapCounters(0, 0, Map.of(), 0, 0, false);

  static TapCounters parse(JsonNode told) {
    Map<String, Long> malformed = new TreeMap<>();
    told.required("malformed")
        .properties()
        .forEach(reason -> malformed.put(reason.getKey(), reason.getValue().asLong()));
    return new TapCounters(
        told.required("source_packets").asLong(),
        told.required("lost_before_tap").asLong(),
        malformed,
        told.required("parsed").asLong(),
        told.required("offered").asLong(),
        told.required("ended").asBoolean());
  }
}
