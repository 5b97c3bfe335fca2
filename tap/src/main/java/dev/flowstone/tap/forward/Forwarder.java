// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.tap.datagram.SenderRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends the records of all rings of a folder. One thread opens, runs and closes it; any may stop it
 * or ask for its counters.
 *
 * <p>The receiver makes its rings when it first hears of a sender, which takes a moment: so packets
 * wait in their rings for that moment.
 */
public final class Forwarder implements AutoCloseable {
  private static final long IDLE_NS = TimeUnit.MICROSECONDS.toNanos(100);
  private static final long HELLO_EVERY_NS = TimeUnit.MILLISECONDS.toNanos(250);

  /**
   * Some of them arrive even where much is lost, and where a receiver is busy for a moment: each
   * comes after twice the time of the one before.
   */
  private static final int LAST_WORDS = 7;

  private static final long FIRST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(15);

  private final List<ForwardedRing> rings = new ArrayList<>();
  private final DatagramOutput output;
  private final SendPace pace;
  private final long helloNs;
  private volatile boolean stopping;

  private Forwarder(DatagramOutput output, OptionalDouble packetsPerSecond, long helloNs) {
    this.output = output;
    this.pace = new SendPace(packetsPerSecond);
    this.helloNs = helloNs;
  }

  /**
   * Claims a lane in each ring of the folder.
   *
   * @param mostRecords in a datagram
   * @param packetsPerSecond that may be sent; empty: somewhat more than come
   * @param helloNs how long packets wait for a receiver to make its rings
   */
  public static Forwarder open(
      ForwardOptions options,
      int mostRecords,
      DatagramOutput output,
      OptionalDouble packetsPerSecond,
      long helloNs) {
    List<Path> files = options.rings().ringFiles();
    requireAll(options.rings(), files);
    Forwarder forwarder = new Forwarder(output, packetsPerSecond, helloNs);
    SenderRun run = SenderRun.begin(options.reader());
    try {
      for (Path file : files) {
        forwarder.rings.add(new ForwardedRing(file, options, run, mostRecords, output));
      }
      return forwarder;
    } catch (RuntimeException e) {
      forwarder.close();
      throw e;
    }
  }

  /** Before a lane holds any space, which would be held on after a refusal. */
  private static void requireAll(RingDirectory rings, List<Path> files) {
    if (files.isEmpty()) {
      throw new RingFileException(
          rings.path() + ": no ring files there; start a tap first (./flowstone tap --help)");
    }
    try (RingFile first = RingFile.open(files.getFirst())) {
      int ringCount = first.identity().ringCount();
      if (files.size() != ringCount) {
        throw new RingFileException(
            rings.path()
                + ": "
                + files.size()
                + " ring files of a tap that has "
                + ringCount
                + "; it is being started, or some were removed: try again");
      }
    }
  }

  /** Runs until {@link #stop}, or until all rings have ended if that was asked for. */
  public void run() {
    sayHello();
    while (!stopping && !areAllEnded()) {
      if (!stepAll()) {
        LockSupport.parkNanos(IDLE_NS);
      }
    }
    sayLast();
  }

  private boolean areAllEnded() {
    for (int i = 0; i < rings.size(); i++) {
      if (!rings.get(i).isEnded()) {
        return false;
      }
    }
    return true;
  }

  private void sayHello() {
    long beganNs = System.nanoTime();
    while (!stopping && System.nanoTime() - beganNs < helloNs) {
      rings.forEach(ForwardedRing::hello);
      LockSupport.parkNanos(HELLO_EVERY_NS);
    }
  }

  /** All rings or none may send, so that none is before the others. */
  private boolean stepAll() {
    long nowNs = System.nanoTime();
    if (pace.wantsToLook(nowNs)) {
      pace.look(offeredPackets(), nowNs);
    }
    boolean mayRead = pace.allows(nowNs);
    boolean progress = false;
    for (int i = 0; i < rings.size(); i++) {
      ForwardedRing ring = rings.get(i);
      long before = ring.readPackets();
      progress |= ring.step(nowNs, mayRead);
      pace.sent(ring.readPackets() - before, nowNs);
    }
    return progress;
  }

  /** As the rings count now. */
  private long offeredPackets() {
    return rings.stream().mapToLong(ring -> ring.file().counters().offeredPackets()).sum();
  }

  private void sayLast() {
    output.beginLastWords();
    for (int i = 0; i < LAST_WORDS && !output.areLastWordsHeard(); i++) {
      rings.forEach(ForwardedRing::sayLast);
      LockSupport.parkNanos(FIRST_PAUSE_NS << i);
    }
  }

  /** Ends after what was gathered. */
  public void stop() {
    stopping = true;
  }

  /** Those of each ring. */
  public List<ForwardCounters.OfRing> counters() {
    return rings.stream().map(ForwardedRing::counters).toList();
  }

  @Override
  public void close() {
    rings.forEach(ForwardedRing::close);
  }
}
