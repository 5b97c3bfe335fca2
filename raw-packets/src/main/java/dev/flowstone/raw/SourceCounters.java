// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.raw;

import java.util.List;
import java.util.Map;

/**
 * What a source has done so far.
 *
 * @param packets packets handed out
 * @param wireBytes their bytes on the wire
 * @param capturedBytes their bytes that were captured
 * @param kernelDrops packets the kernel saw and had no room for (live capture)
 * @param skipped records passed over on purpose: blocks without a packet, padding, a loopback
 *     interface's second copy
 * @param malformed records that could not be used, by reason; reasons that did not occur are absent
 * @param notes the first places where something was malformed, at most {@link
 *     MalformedCounts#MAX_NOTES}
 */
public record SourceCounters(
    long packets,
    long wireBytes,
    long capturedBytes,
    long kernelDrops,
    long skipped,
    Map<MalformedReason, Long> malformed,
    List<MalformedNote> notes) {
  public SourceCounters {
    malformed = Map.copyOf(malformed);
    notes = List.copyOf(notes);
  }
}
