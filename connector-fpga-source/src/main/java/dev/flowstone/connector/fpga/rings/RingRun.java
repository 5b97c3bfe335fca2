// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import dev.flowstone.offheap.ring.RingLoan;
import java.lang.foreign.MemorySegment;

/**
 * Consecutive packets of a ring, where they lie: to be used while the ring is open and these
 * positions are not released.
 *
 * @param position of the first packet
 * @param slots the ring's memory
 * @param offsetBytes of the first packet there; the others follow
 * @param timeBaseNs base of their times
 * @param loan says afterwards whether they still lay there
 */
public record RingRun(
    long position,
    int count,
    MemorySegment slots,
    long offsetBytes,
    long timeBaseNs,
    boolean isClockTrusted,
    RingLoan loan) {}
