// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.pane;

import dev.flowstone.jobs.anomaly.sketch.DistinctCount;
import dev.flowstone.jobs.anomaly.sketch.FixedHash;
import dev.flowstone.jobs.anomaly.sketch.PeerSample;

/**
 * Sums packets and panes up; the order in which they come changes nothing. Makes no object for a
 * packet. One thread.
 */
public final class PaneSum {
  private final DistinctCount distinct = new DistinctCount();
  private final PeerSample peers = new PeerSample();
  private long packets;
  private long bytes;
  private long begun;
  private long completed;

  private boolean hasSpots;
  private long firstNs;
  private long firstStream;
  private long firstPosition;
  private long lastNs;
  private long lastStream;
  private long lastPosition;

  /**
   * Adds a packet.
   *
   * @param distinctHash of what is counted once
   * @param peerHigh upper half of the other side's address
   */
  void add(
      long timeNs,
      long stream,
      long position,
      int frameLength,
      long distinctHash,
      long peerHigh,
      long peerLow) {
    packets++;
    bytes += frameLength;
    distinct.add(distinctHash);
    long packet = FixedHash.and(FixedHash.and(FixedHash.of(timeNs), stream), position);
    peers.add(packet, peerHigh, peerLow);
    note(timeNs, stream, position);
  }

  /** Whether a handshake was begun that is waited for. */
  void addBegun(boolean isBegun) {
    begun += isBegun ? 1 : 0;
  }

  /** A handshake was completed. */
  void addCompleted() {
    completed++;
  }

  /** Adds what another sum has; itself. */
  public PaneSum add(Pane other) {
    packets += other.packets();
    bytes += other.bytes();
    begun += other.begun();
    completed += other.completed();
    distinct.addAll(other.distinct());
    peers.addAll(other.peers());
    note(other.first());
    note(other.last());
    return this;
  }

  private void note(Spot spot) {
    if (spot != null) {
      note(spot.timeNs(), spot.stream(), spot.position());
    }
  }

  private void note(long timeNs, long stream, long position) {
    if (!hasSpots || isBefore(timeNs, stream, position, firstNs, firstStream, firstPosition)) {
      firstNs = timeNs;
      firstStream = stream;
      firstPosition = position;
    }
    if (!hasSpots || isBefore(lastNs, lastStream, lastPosition, timeNs, stream, position)) {
      lastNs = timeNs;
      lastStream = stream;
      lastPosition = position;
    }
    hasSpots = true;
  }

  /** By time; packets of one time have some order, always the same. */
  private static boolean isBefore(
      long timeNs, long stream, long position, long otherNs, long otherStream, long otherPosition) {
    if (timeNs != otherNs) {
      return timeNs < otherNs;
    }
    return stream != otherStream ? stream < otherStream : position < otherPosition;
  }

  /** Of the heap, for what grows with its packets. */
  int memoryBytes() {
    return distinct.memoryBytes() + peers.memoryBytes();
  }

  public Pane toPane() {
    return new Pane(
        packets,
        bytes,
        begun,
        completed,
        distinct.toBytes(),
        peers.toLongs(),
        hasSpots ? new Spot(firstNs, firstStream, firstPosition) : null,
        hasSpots ? new Spot(lastNs, lastStream, lastPosition) : null);
  }
}
