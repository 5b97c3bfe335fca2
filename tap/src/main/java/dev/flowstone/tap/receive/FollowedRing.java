// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.model.abi.DatagramFlag;
import dev.flowstone.model.abi.DatagramKind;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.tap.datagram.DatagramHeader;
import dev.flowstone.tap.datagram.HeartbeatLineage;
import dev.flowstone.tap.receive.SenderPlace.Gap;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Follows one ring of the sender's tap through its datagrams, which come in their order but not all
 * of them, and knows exactly which packets it lacks: every datagram says how many packets of the
 * ring came before it. So does the first one of a sender that was started again, or of a receiver.
 * One thread.
 */
final class FollowedRing {
  private static final long RECORD_BYTES = PacketRecordLayout.SIZE_BYTES;

  private final Deliveries deliveries;

  /** Whether it is known how far the ring was followed. */
  private boolean isFollowing;

  private long stream;
  private long incarnation;
  private long packets;
  private long lostBeforeTap;

  /** Of the run's datagrams that of the first one of this incarnation. */
  private long firstSequence;

  /** What this run of the sender told as lost in the ring. */
  private long lostInRing;

  private boolean isRunHeard;
  private boolean ended;
  private long packetsBeforeStart;

  /** Earlier incarnations whose rest nobody has told of yet. */
  private Optional<Gap> gap = Optional.empty();

  /** How often something else changed than what packets change that come. */
  private long changes;

  FollowedRing(Deliveries deliveries) {
    this.deliveries = deliveries;
  }

  /** Goes on where a former receiver stood. */
  void resume(SenderPlace place) {
    isFollowing = true;
    stream = place.stream();
    incarnation = place.incarnation();
    packets = place.packets();
    lostBeforeTap = place.lostBeforeTap();
    firstSequence = place.firstSequence();
    gap = place.gap();
  }

  /**
   * Datagrams of another run follow.
   *
   * @param isFormers whether a former receiver listened to it, too
   */
  void beginRun(boolean isFormers) {
    isRunHeard = false;
    lostInRing = 0;
    ended = false;
    if (!isFormers) {
      firstSequence = 0;
      changes++;
    }
  }

  /** The next datagram that came. */
  void accept(MemorySegment memory, long at) {
    int kind = DatagramHeader.kind(memory, at);
    if (kind == DatagramKind.HELLO) {
      return;
    }
    place(memory, at);
    settle(memory, at);
    isRunHeard = true;
    if (kind == DatagramKind.PACKETS) {
      takePackets(memory, at);
    } else {
      takeHeartbeat(memory, at);
    }
  }

  private void place(MemorySegment memory, long at) {
    long newStream = DatagramHeader.stream(memory, at);
    long newIncarnation = DatagramHeader.incarnation(memory, at);
    if (isFollowing && stream == newStream && incarnation == newIncarnation) {
      return;
    }
    lostInRing = 0;
    if (isFollowing && stream == newStream) {
      noteGap();
      packets = 0;
      lostBeforeTap = 0;
    } else {
      gap = Optional.empty();
      packets = DatagramHeader.startPackets(memory, at);
      lostBeforeTap = DatagramHeader.startLostBeforeTap(memory, at);
      packetsBeforeStart += packets;
    }
    isFollowing = true;
    stream = newStream;
    incarnation = newIncarnation;
    firstSequence = DatagramHeader.sequence(memory, at);
    changes++;
  }

  /** Of the incarnation that ends here, and of any between, the sender's next heartbeat tells. */
  private void noteGap() {
    Gap earlier = gap.orElse(new Gap(incarnation, 0));
    gap =
        Optional.of(
            new Gap(earlier.incarnation(), earlier.knownPackets() + packets + lostBeforeTap));
  }

  /** Tells of what should have come before this datagram. */
  private void settle(MemorySegment memory, long at) {
    long timeNs = timeNs(memory, at);
    if (!isRunHeard && packets > DatagramHeader.startPackets(memory, at)) {
      // Which of these are told already, nobody knows.
      lostInRing = DatagramHeader.lostInRing(memory, at);
    }
    long missing = DatagramHeader.packets(memory, at) - packets;
    if (missing > 0) {
      long inRing = Math.clamp(DatagramHeader.lostInRing(memory, at) - lostInRing, 0, missing);
      packets += missing;
      lose(LossCause.RING, inRing, timeNs);
      lose(isRunHeard ? LossCause.NETWORK : LossCause.AWAY, missing - inRing, timeNs);
    }
    lostInRing = Math.max(lostInRing, DatagramHeader.lostInRing(memory, at));
    long before = DatagramHeader.lostBeforeTap(memory, at) - lostBeforeTap;
    if (before > 0) {
      lostBeforeTap += before;
      lose(LossCause.BEFORE_TAP, before, timeNs);
    }
  }

  private static long timeNs(MemorySegment memory, long at) {
    return DatagramHeader.has(memory, at, DatagramFlag.CLOCK_TRUSTED)
        ? DatagramHeader.timeBaseNs(memory, at)
        : 0;
  }

  private void lose(LossCause cause, long lost, long timeNs) {
    if (lost > 0) {
      changes++;
      deliveries.lost(cause, lost, timeNs);
    }
  }

  /** A sender that was started again begins with packets that it had sent before. */
  private void takePackets(MemorySegment memory, long at) {
    int count = DatagramHeader.count(memory, at);
    int known = (int) Math.min(count, packets - DatagramHeader.packets(memory, at));
    if (known > 0) {
      deliveries.repeated(known);
    }
    if (known < count) {
      deliveries.packets(
          memory,
          at + DatagramHeader.BYTES + known * RECORD_BYTES,
          count - known,
          DatagramHeader.timeBaseNs(memory, at),
          DatagramHeader.has(memory, at, DatagramFlag.CLOCK_TRUSTED));
      packets += count - known;
    }
  }

  private void takeHeartbeat(MemorySegment memory, long at) {
    if (gap.isPresent()) {
      close(gap.get(), memory, at);
    }
    if (DatagramHeader.has(memory, at, DatagramFlag.CLOCK_TRUSTED)) {
      deliveries.time(DatagramHeader.timeBaseNs(memory, at));
    }
    ended = DatagramHeader.has(memory, at, DatagramFlag.RING_ENDED);
  }

  private void close(Gap open, MemorySegment memory, long at) {
    gap = Optional.empty();
    changes++;
    long missing = -open.knownPackets();
    for (int i = 0; i < DatagramHeader.count(memory, at); i++) {
      missing +=
          HeartbeatLineage.offeredPackets(memory, at, i)
              + HeartbeatLineage.lostBeforeTap(memory, at, i);
      if (HeartbeatLineage.incarnation(memory, at, i) == open.incarnation()) {
        lose(LossCause.AWAY, missing, timeNs(memory, at));
        return;
      }
    }
    deliveries.missedUnknown();
  }

  /** Whether it has heard of the ring. */
  boolean isFollowing() {
    return isFollowing;
  }

  /** Grows when something else has changed than what packets change that come. */
  long changes() {
    return changes;
  }

  /** Where it stands, if it has heard of the ring. */
  SenderPlace place() {
    return new SenderPlace(stream, incarnation, packets, lostBeforeTap, firstSequence, gap);
  }

  /** Offered to the ring before there was anybody to send them here: no loss. */
  long packetsBeforeStart() {
    return packetsBeforeStart;
  }

  /** Whether the sender said that nothing more comes of this ring. */
  boolean isEnded() {
    return ended;
  }
}
