// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.tap.datagram.DatagramHeader;
import dev.flowstone.tap.datagram.Refusal;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Puts the datagrams of one ring and run into their order: what comes too early waits for what is
 * missing, for a while and for so many datagrams. Hands on each once, in order, without those that
 * did not come in time. Closed by whoever made it; one thread.
 */
final class ReorderWindow implements AutoCloseable {
  /** What becomes of datagrams in their order. */
  interface InOrder {
    void accept(MemorySegment memory, long at);
  }

  private static final Optional<Refusal> ACCEPTED = Optional.empty();
  private static final Optional<Refusal> DUPLICATE = Optional.of(Refusal.DUPLICATE);
  private static final Optional<Refusal> LATE = Optional.of(Refusal.LATE);

  private final int size;
  private final long patienceNs;
  private final InOrder inOrder;
  private final RecentSequences recent = new RecentSequences();
  private final WaitingPlaces places;
  private final boolean[] waits;
  private final long[] waitsSinceNs;

  private final AtomicInteger waitingCount = new AtomicInteger();
  private final LongAdder missing = new LongAdder();
  private long next;

  /** What comes before the first that is handed on of a run was never waited for. */
  private boolean hasBegun;

  /**
   * @param size datagrams, this one included, among which the order may be another
   * @param patienceNs how long one waits for those before it
   */
  ReorderWindow(int size, long patienceNs, InOrder inOrder) {
    this.size = size;
    this.patienceNs = patienceNs;
    this.inOrder = inOrder;
    places = new WaitingPlaces(size);
    waits = new boolean[size];
    waitsSinceNs = new long[size];
  }

  /**
   * Datagrams of another run follow, and none of the one before, all of which was handed on.
   *
   * @param first the earliest that is of use
   */
  void beginRun(long first) {
    recent.clear();
    next = first;
    hasBegun = false;
  }

  /** Takes a datagram that lies at the beginning of a memory, or says why not. */
  Optional<Refusal> offer(MemorySegment memory, int lengthBytes, long nowNs) {
    long sequence = DatagramHeader.sequence(memory, 0);
    if (sequence < next) {
      return recent.hasCome(sequence, next) ? DUPLICATE : LATE;
    }
    if (sequence - next >= size) {
      advanceTo(sequence - size + 1);
      handOnWhatFollows();
    }
    if (sequence == next) {
      handOn(memory, 0);
      handOnWhatFollows();
      return ACCEPTED;
    }
    return hold(sequence, memory, lengthBytes, nowNs);
  }

  private Optional<Refusal> hold(long sequence, MemorySegment memory, int lengthBytes, long nowNs) {
    int place = place(sequence);
    if (waits[place]) {
      return DUPLICATE;
    }
    places.keep(place, memory, lengthBytes);
    waits[place] = true;
    waitsSinceNs[place] = nowNs;
    waitingCount.incrementAndGet();
    return ACCEPTED;
  }

  /** What waited long enough goes on without what is missing. */
  void lookAtTime(long nowNs) {
    while (waitingCount.get() > 0) {
      long first = firstWaiting();
      if (nowNs - waitsSinceNs[place(first)] < patienceNs) {
        return;
      }
      advanceTo(first);
      handOnWhatFollows();
    }
  }

  private long firstWaiting() {
    long first = next;
    while (!waits[place(first)]) {
      first++;
    }
    return first;
  }

  /** Hands on all that waits: nothing before it will come any more. */
  void handOnAll() {
    while (waitingCount.get() > 0) {
      takeNext();
    }
  }

  /** All below a sequence number goes on, or is given up. */
  private void advanceTo(long sequence) {
    while (waitingCount.get() > 0 && next < sequence) {
      takeNext();
    }
    if (next < sequence) {
      giveUpTo(sequence);
    }
  }

  private void giveUpTo(long sequence) {
    if (hasBegun) {
      missing.add(sequence - next);
    }
    recent.noteMissing(next, sequence);
    next = sequence;
  }

  private void handOnWhatFollows() {
    while (waits[place(next)]) {
      takeNext();
    }
  }

  private void takeNext() {
    int place = place(next);
    if (waits[place]) {
      waits[place] = false;
      waitingCount.decrementAndGet();
      handOn(places.memory(), places.at(place));
    } else {
      giveUpTo(next + 1);
    }
  }

  private void handOn(MemorySegment memory, long at) {
    hasBegun = true;
    recent.noteCome(next);
    next++;
    inOrder.accept(memory, at);
  }

  private int place(long sequence) {
    return (int) (sequence % size);
  }

  /** Datagrams that wait for others before them; any thread may ask. */
  int waitingCount() {
    return waitingCount.get();
  }

  /** Datagrams between others that did not come, or came too late; any thread may ask. */
  long missing() {
    return missing.sum();
  }

  @Override
  public void close() {
    places.close();
  }
}
