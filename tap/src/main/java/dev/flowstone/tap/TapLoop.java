// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RawPacketFlag;
import dev.flowstone.model.abi.RawPacketLayout;
import dev.flowstone.offheap.ParserLibrary;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Carries packets from a source through the parser into ring files, batch by batch, until the
 * source ends or somebody asks it to stop; then says so in the rings. One thread runs it; any
 * thread may ask for its counters or stop it.
 */
public final class TapLoop {
  private static final long CACHE_LINE_BYTES = 64;
  private static final Duration LAST_WAIT = Duration.ofSeconds(2);
  private static final long IDLE_NS = TimeUnit.MICROSECONDS.toNanos(100);

  private final PacketSource source;
  private final RingSetWriter rings;
  private final ParserProfile profile;
  private final Pacer pacer;
  private final ParserLibrary parser = ParserLibrary.instance();
  private final ReadAhead readAhead = new ReadAhead(RawPacketBatch.DEFAULT_CAPACITY);

  private volatile boolean stopping;
  private final LongAdder offered = new LongAdder();
  private final LongAdder parsed = new LongAdder();

  /** 0 before the first packet: then a loss has no time of its own. */
  private long latestTimeNs;

  public TapLoop(PacketSource source, RingSetWriter rings, ParserProfile profile, Pacer pacer) {
    this.source = source;
    this.rings = rings;
    this.profile = profile;
    this.pacer = pacer;
  }

  /**
   * Runs to the end of the source, or until {@link #stop}. The rings end also when the source
   * fails: nothing more will come, and who reads them should not wait for it.
   */
  public void run() {
    try {
      carryAll();
    } catch (RuntimeException e) {
      endAfter(e);
      throw e;
    }
    rings.end();
  }

  private void endAfter(RuntimeException failure) {
    try {
      tellLosses(latestTimeNs);
      rings.end();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  private void carryAll() {
    try (RawPacketBatch batch = new RawPacketBatch(RawPacketBatch.DEFAULT_CAPACITY);
        Arena arena = Arena.ofConfined()) {
      MemorySegment records =
          arena.allocate(batch.capacity() * PacketRecordLayout.SIZE_BYTES, CACHE_LINE_BYTES);
      boolean ended = false;
      while (!ended && !stopping) {
        ended = !carryOn(batch, records);
      }
      if (!ended && source.stopCatching()) {
        while (carryOn(batch, records)) {
          // What the source caught before it was stopped is offered, too.
        }
      }
    }
  }

  /** One batch; false at the end of the source. */
  private boolean carryOn(RawPacketBatch batch, MemorySegment records) {
    batch.limit(readAhead.packets());
    int count = source.fill(batch);
    tellLosses(batch, count);
    if (count == PacketSource.END) {
      return false;
    }
    if (count == 0) {
      LockSupport.parkNanos(IDLE_NS);
      tellIdleTime();
      return true;
    }
    parsed.add(parser.parse(batch.base(), batch.descriptors(), count, profile, records));
    long beganNs = System.nanoTime();
    writeWhenDue(batch, records);
    readAhead.took(System.nanoTime() - beganNs);
    return true;
  }

  /** What is lost takes its place before the packets that follow it. */
  private void tellLosses(RawPacketBatch batch, int count) {
    tellLosses(count > 0 ? batch.timeNs(0) : latestTimeNs);
    if (count > 0) {
      latestTimeNs = batch.timeNs(count - 1);
    }
  }

  private void tellLosses(long timeNs) {
    long lost = source.takeLostBeforeTap();
    if (lost > 0) {
      rings.lostBeforeTap(lost, timeNs);
    }
    long otherClock = source.takeOtherClockPackets();
    if (otherClock > 0) {
      rings.countOtherClock(otherClock);
    }
  }

  /** A stop lets the rest of the batch go at once: what the source gave out is offered. */
  private void writeWhenDue(RawPacketBatch batch, MemorySegment records) {
    int from = 0;
    while (from < batch.count()) {
      int due = stopping ? batch.count() - from : pacer.awaitDue(batch, from);
      if (due > 0) {
        offered.add(due);
        rings.write(
            batch.descriptors().asSlice(from * RawPacketLayout.SIZE_BYTES),
            records.asSlice(from * PacketRecordLayout.SIZE_BYTES),
            due);
        from += due;
        tellTime(batch, from - 1);
      }
    }
  }

  /** A quiet ring hears the time from its neighbours' packets, once they are in their rings. */
  private void tellTime(RawPacketBatch batch, int index) {
    if ((batch.flags(index) & RawPacketFlag.UNTIMED) == 0) {
      rings.heartbeat(batch.timeNs(index), true);
    }
  }

  /** Where no packet comes at all, rings hear the time from the host's clock. */
  private void tellIdleTime() {
    long timeNs = source.idleClockNs();
    if (timeNs != PacketSource.NO_TIME) {
      rings.heartbeat(timeNs, true);
    }
  }

  /** Ends after what the source has caught, which waits for full rings only a little longer. */
  public void stop() {
    stopping = true;
    rings.limitWaiting(LAST_WAIT);
  }

  public boolean isStopping() {
    return stopping;
  }

  /** Packets that went on to the rings, counted before they do. */
  public long offeredPackets() {
    return offered.sum();
  }

  /** Packets that the parser described. */
  public long parsedPackets() {
    return parsed.sum();
  }
}
