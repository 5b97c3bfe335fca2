// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RawPacketFlag;
import dev.flowstone.model.abi.RawPacketLayout;
import dev.flowstone.offheap.ParserLibrary;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Carries the packets of one source through the parser into the rings, batch by batch. One thread
 * runs it; any thread may ask for its counters or stop it.
 */
final class Carrier {
  private static final long CACHE_LINE_BYTES = 64;
  private static final long IDLE_NS = TimeUnit.MICROSECONDS.toNanos(100);

  private final int number;
  private final PacketSource source;
  private final SharedRings rings;
  private final ParserProfile profile;
  private final Pacer pacer;
  private final ParserLibrary parser = ParserLibrary.instance();
  private final ReadAhead readAhead = new ReadAhead(RawPacketBatch.DEFAULT_CAPACITY);

  private volatile boolean stopping;
  private final LongAdder offered = new LongAdder();
  private final LongAdder parsed = new LongAdder();

  /** 0 before the first packet: then a loss has no time of its own. */
  private long latestTimeNs;

  Carrier(int number, PacketSource source, SharedRings rings, ParserProfile profile, Pacer pacer) {
    this.number = number;
    this.source = source;
    this.rings = rings;
    this.profile = profile;
    this.pacer = pacer;
  }

  /** Runs to the end of the source, or until {@link #stop}; tells its losses also when it fails. */
  void run() {
    try {
      carryAll();
    } catch (RuntimeException e) {
      tellLossesAfter(e);
      throw e;
    } finally {
      rings.leave(number);
    }
  }

  private void tellLossesAfter(RuntimeException failure) {
    try {
      tellLosses(latestTimeNs);
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
      // Where no packet comes at all, rings hear the time from the host's clock.
      rings.reach(number, source.idleClockNs());
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
    rings.tellLosses(source.takeLostBeforeTap(), source.takeOtherClockPackets(), timeNs);
  }

  /** A stop lets the rest of the batch go at once: what the source gave out is offered. */
  private void writeWhenDue(RawPacketBatch batch, MemorySegment records) {
    int from = 0;
    while (from < batch.count()) {
      int due = stopping ? batch.count() - from : pacer.awaitDue(batch, from);
      if (due > 0) {
        offered.add(due);
        rings.write(
            number,
            batch.descriptors().asSlice(from * RawPacketLayout.SIZE_BYTES),
            records.asSlice(from * PacketRecordLayout.SIZE_BYTES),
            due,
            trustedTimeNs(batch, from + due - 1));
        from += due;
      }
    }
  }

  /** A quiet ring hears the time from its neighbours' packets, once they are in their rings. */
  private static long trustedTimeNs(RawPacketBatch batch, int index) {
    boolean trusted = (batch.flags(index) & RawPacketFlag.UNTIMED) == 0;
    return trusted ? batch.timeNs(index) : PacketSource.NO_TIME;
  }

  void stop() {
    stopping = true;
  }

  /** Packets that went on to the rings, counted before they do. */
  long offeredPackets() {
    return offered.sum();
  }

  /** Packets that the parser described. */
  long parsedPackets() {
    return parsed.sum();
  }
}
