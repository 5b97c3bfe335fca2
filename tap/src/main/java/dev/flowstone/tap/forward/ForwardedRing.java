// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.DatagramFlag;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.tap.datagram.SenderRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Follows one ring over all its incarnations: sends packets as soon as a datagram is full or they
 * have waited for a moment, the time when it goes on without packets, and counts once a second. One
 * thread; any may ask for counters.
 */
final class ForwardedRing implements AutoCloseable {
  /** What a packet waits for others at most. */
  private static final long LINGER_NS = TimeUnit.MILLISECONDS.toNanos(5);

  private static final long HEARTBEAT_NS = TimeUnit.SECONDS.toNanos(1);

  /** Between two looks whether the tap was started again. */
  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final int NO_FLAGS = 0;

  private final Path path;
  private final ForwardOptions options;
  private final RingIdentity first;
  private final RingDatagrams datagrams;

  private ReadRing ring;
  private boolean isReplaced;
  private boolean hasUntoldClock;
  private boolean ended;
  private long gatheredSinceNs;
  private long toldNs;
  private long lookedNs;

  ForwardedRing(
      Path path, ForwardOptions options, SenderRun run, int mostRecords, DatagramOutput output) {
    this.path = path;
    this.options = options;
    ring = ReadRing.open(path, options);
    first = ring.file().identity();
    datagrams = new RingDatagrams(ring, run, mostRecords, options.key(), output);
  }

  RingFile file() {
    return ring.file();
  }

  /** Before packets are sent. */
  void hello() {
    datagrams.hello();
    ring.reader().showLife();
  }

  /**
   * Reads and sends a little; false: there was nothing to do.
   *
   * @param mayRead whether packets may be sent now
   */
  boolean step(long nowNs, boolean mayRead) {
    if (nowNs - toldNs >= HEARTBEAT_NS) {
      tell(nowNs);
    }
    return mayRead && !ended && read(nowNs);
  }

  private boolean read(long nowNs) {
    boolean begins = !datagrams.hasGathered();
    return switch (ring.reader().poll(datagrams.room())) {
      case PACKETS -> {
        if (begins) {
          gatheredSinceNs = nowNs;
        }
        datagrams.gather();
        hasUntoldClock = false;
        yield true;
      }
      case CLOCK -> {
        datagrams.send();
        datagrams.start();
        ring.sentUpToClock();
        hasUntoldClock = true;
        yield true;
      }
      case NOTHING -> {
        sendWhatWaits(nowNs);
        yield followSuccessor(nowNs);
      }
      case END -> {
        datagrams.start();
        sendWhatWaits(nowNs);
        ended = options.bounded();
        if (ended) {
          tell(nowNs);
        }
        yield !ended && followSuccessor(nowNs);
      }
    };
  }

  private void sendWhatWaits(long nowNs) {
    if (datagrams.hasGathered() && nowNs - gatheredSinceNs >= LINGER_NS) {
      datagrams.send();
    }
    if (hasUntoldClock && !datagrams.hasGathered()) {
      tell(nowNs);
    }
  }

  private void tell(long nowNs) {
    toldNs = nowNs;
    hasUntoldClock = false;
    datagrams.tell(ended ? DatagramFlag.RING_ENDED : NO_FLAGS);
    ring.reader().showLife();
  }

  /** A replaced ring is read to its end before the next is opened. */
  private boolean followSuccessor(long nowNs) {
    if (isReplaced && Files.exists(path)) {
      tell(nowNs);
      goOn();
      return true;
    }
    if (!isReplaced && nowNs - lookedNs >= LOOK_NS) {
      lookedNs = nowNs;
      isReplaced = ring.file().isReplaced();
      return isReplaced;
    }
    return false;
  }

  private void goOn() {
    ReadRing next = ReadRing.openAfter(ring.reader().progress(), path, options);
    ring.close();
    ring = next;
    requireLikeFirst(next.file().identity());
    datagrams.goOnWith(next);
    isReplaced = false;
  }

  /** The receiver's rings are made for those that were there first. */
  private void requireLikeFirst(RingIdentity next) {
    if (next.ringCount() != first.ringCount()
        || next.maxParallelism() != first.maxParallelism()
        || next.clock() != first.clock()
        || StreamNumber.tap(next.stream()) != StreamNumber.tap(first.stream())) {
      throw new IllegalStateException(
          path
              + ": the tap was started again as another one ("
              + next.ringCount()
              + " rings instead of "
              + first.ringCount()
              + ", or other key groups, another clock, or a folder made anew); start tap receive and"
              + " tap forward again");
    }
  }

  /** Whether it was to end with its ring, and has. */
  boolean isEnded() {
    return ended;
  }

  /** Sends what was gathered, and tells that nothing more comes, of this run at least. */
  void sayLast() {
    datagrams.tell(ended ? DatagramFlag.RING_ENDED : DatagramFlag.SENDER_LEAVES);
  }

  /** Packets found in the ring so far. */
  long readPackets() {
    return datagrams.readPackets();
  }

  ForwardCounters.OfRing counters() {
    return datagrams.counters();
  }

  /** An ended ring needs no reader that comes back. */
  @Override
  public void close() {
    datagrams.close();
    if (ended) {
      ring.leave();
    }
    ring.close();
  }
}
