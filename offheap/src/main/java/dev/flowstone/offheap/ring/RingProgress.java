// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

/**
 * How far a reader has come in one incarnation of a ring: all it needs to go on after a restart,
 * and to say exactly what it missed meanwhile.
 *
 * @param incarnation whose positions these are
 * @param position next slot to read
 * @param accountedPackets packets before that position, read or known to be lost
 * @param timeBaseNs time of the latest TIME record before it
 * @param clockTrusted what that record said of the clock
 * @param lostPackets lost in this ring so far, over all incarnations
 * @param unreportedLost of these, not yet reported with a run
 */
public record RingProgress(
    long incarnation,
    long position,
    long accountedPackets,
    long timeBaseNs,
    boolean clockTrusted,
    long lostPackets,
    long unreportedLost) {}
