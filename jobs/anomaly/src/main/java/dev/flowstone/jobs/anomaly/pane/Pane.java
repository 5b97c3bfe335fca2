// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.pane;

import java.io.Serializable;

/**
 * What was seen of a subject within a pane, or of several panes together; made by {@link PaneSum}.
 *
 * @param bytes of the frames on the wire
 * @param begun handshakes that SYNs began and that were waited for, where the detector asks for it
 * @param completed handshakes that were completed
 * @param distinct a {@link dev.flowstone.jobs.anomaly.sketch.DistinctCount}
 * @param peers a {@link dev.flowstone.jobs.anomaly.sketch.PeerSample}
 * @param first the earliest packet; null: there is none
 * @param last the latest packet
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares panes, and nobody writes in them.
public record Pane(
    long packets,
    long bytes,
    long begun,
    long completed,
    byte[] distinct,
    long[] peers,
    Spot first,
    Spot last)
    implements Serializable {}
