// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.tap.datagram.Refusal;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * One ring here, filled from one of the sender's: packets into it, losses into ring 0, which tells
 * all losses before a tap. Closed by whoever made it; one thread, any may ask for counters.
 */
final class ReceivedRing implements Deliveries, AutoCloseable {
  private final int ring;
  private final RingSetWriter rings;
  private final RecordRewriter rewriter;
  private final ReceivedBooks books;
  private final Consumer<String> say;
  private final FollowedRing followed = new FollowedRing(this);
  private final ReorderWindow window;

  private final LongAdder packets = new LongAdder();
  private final LongAdder repeated = new LongAdder();
  private final Map<LossCause, LongAdder> lost = new EnumMap<>(LossCause.class);
  private final LongAdder missedUnknown = new LongAdder();
  private volatile long beforeStart;
  private long offeredPackets;
  private long latestTimeNs;
  private long bookedChanges;

  ReceivedRing(
      int ring,
      RingSetWriter rings,
      RecordRewriter rewriter,
      ReceivedBooks books,
      ReceiveOptions options,
      Consumer<String> say) {
    this.ring = ring;
    this.rings = rings;
    this.rewriter = rewriter;
    this.books = books;
    this.say = say;
    window = new ReorderWindow(options.reorder(), options.patience().toNanos(), this::accept);
    for (LossCause cause : LossCause.values()) {
      lost.put(cause, new LongAdder());
    }
  }

  /** Goes on where a former receiver stood. */
  void resume(SenderPlace place) {
    followed.resume(place);
  }

  /** Datagrams of another run follow; see {@link FollowedRing#beginRun}. */
  void beginRun(boolean isFormers) {
    window.handOnAll();
    followed.beginRun(isFormers);
    window.beginRun(followed.place().firstSequence());
    writeBook();
  }

  /** Takes a datagram, or says why not. */
  Optional<Refusal> offer(MemorySegment memory, int lengthBytes, long nowNs) {
    return window.offer(memory, lengthBytes, nowNs);
  }

  void lookAtTime(long nowNs) {
    window.lookAtTime(nowNs);
  }

  /** Nothing comes any more. */
  void handOnAll() {
    window.handOnAll();
  }

  private void accept(MemorySegment memory, long at) {
    followed.accept(memory, at);
    beforeStart = followed.packetsBeforeStart();
    writeBook();
  }

  /**
   * Only when something else has changed than what the ring itself counts: after it was told, and
   * before the packets that follow it, so that it is neither forgotten nor told twice.
   */
  private void writeBook() {
    if (followed.isFollowing() && followed.changes() != bookedChanges) {
      bookedChanges = followed.changes();
      books.note(ring, followed.place(), offeredPackets);
    }
  }

  @Override
  public void packets(
      MemorySegment memory, long recordsAt, int count, long baseNs, boolean trusted) {
    writeBook();
    latestTimeNs = baseNs;
    offeredPackets += count;
    packets.add(count);
    rewriter.write(ring, memory, recordsAt, count, baseNs, trusted);
  }

  @Override
  public void lost(LossCause cause, long missing, long timeNs) {
    lost.get(cause).add(missing);
    rings.lostBeforeTap(missing, timeNs == 0 ? latestTimeNs : timeNs);
  }

  @Override
  public void repeated(long known) {
    repeated.add(known);
  }

  @Override
  public void time(long timeNs) {
    latestTimeNs = timeNs;
    rings.heartbeat(ring, timeNs, true);
  }

  @Override
  public void missedUnknown() {
    missedUnknown.increment();
    say.accept(
        "ring "
            + ring
            + ": the sender's tap was started again so often that nobody knows how many packets were"
            + " missed");
  }

  boolean isEnded() {
    return followed.isEnded();
  }

  /**
   * Returns whether new packets came, or datagrams that may have some wait for others. Repeated
   * packets do not count: they may be a replay.
   */
  boolean hasPackets() {
    return packets.sum() + window.waitingCount() > 0;
  }

  ReceiveCounters.OfRing counters() {
    Map<LossCause, Long> losses = new EnumMap<>(LossCause.class);
    lost.forEach((cause, count) -> losses.put(cause, count.sum()));
    return new ReceiveCounters.OfRing(
        packets.sum(),
        repeated.sum(),
        losses,
        window.missing(),
        window.waitingCount(),
        beforeStart,
        missedUnknown.sum());
  }

  @Override
  public void close() {
    window.close();
  }
}
