// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

/**
 * How far a reader has come in one incarnation of a ring: all it needs to go on after a restart,
 * and to say exactly what it missed meanwhile.
 *
 * @param incarnation whose positions these are
 * @param position next slot to read
 * @param time the clock there
 * @param books the packets until there
 */
public record RingProgress(long incarnation, long position, RingTime time, PacketBooks books) {}
