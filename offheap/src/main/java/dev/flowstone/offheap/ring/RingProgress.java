// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

/**
 * How far a reader has come in one incarnation of a ring: all it needs to go on after a restart,
 * and to say exactly what it missed meanwhile.
 *
 * @param incarnation whose positions these are
 * @param position next slot to read
 * @param accountedPackets packets before that position, read or known to be lost
 * @param accountKnown false: the reader began in the middle and met no TIME record yet
 * @param timeBaseNs time of the latest TIME record before it
 * @param clockKnown false: no TIME record yet since the beginning or since the last jump
 * @param clockTrusted what that record said of the clock
 * @param lostPackets lost in this ring so far, over all incarnations
 * @param unreportedLost of these, not yet reported with a run
 */
public record RingProgress(
    long incarnation,
    long position,
    long accountedPackets,
    boolean accountKnown,
    long timeBaseNs,
    boolean clockKnown,
    boolean clockTrusted,
    long lostPackets,
    long unreportedLost) {}
