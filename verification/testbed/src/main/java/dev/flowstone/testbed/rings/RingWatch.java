// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.rings;

import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.programs.Programs;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Looks at the headers of rings again and again while others write and read them, and keeps what it
 * saw. Its maker closes it; a thread of its own looks.
 */
public final class RingWatch implements AutoCloseable {
  private static final long LOOK_INTERVAL_MS = 20;
  private static final Duration RINGS_LIMIT = Duration.ofSeconds(60);

  private final List<RingFile> rings;
  private final List<RingSight> sights = new ArrayList<>();
  private final Thread thread = Thread.ofPlatform().name("ring-watch").unstarted(this::run);
  private volatile boolean closing;

  private RingWatch(List<RingFile> rings) {
    this.rings = rings;
  }

  /** Begins to look as soon as the tap has made its rings. */
  public static RingWatch start(RingDirectory directory, int ringCount, ChildProcess tap)
      throws Exception {
    long deadlineNs = System.nanoTime() + RINGS_LIMIT.toNanos();
    while (!Files.exists(directory.ringFile(ringCount - 1))) {
      if (!tap.isAlive() || System.nanoTime() - deadlineNs > 0) {
        throw new AssertionError("the tap made no rings:\n" + Programs.said(tap));
      }
      Thread.sleep(LOOK_INTERVAL_MS);
    }
    RingWatch watch =
        new RingWatch(
            IntStream.range(0, ringCount)
                .mapToObj(ring -> RingFile.open(directory.ringFile(ring)))
                .toList());
    watch.thread.start();
    return watch;
  }

  private void run() {
    try {
      while (!closing) {
        look();
        Thread.sleep(LOOK_INTERVAL_MS);
      }
    } catch (InterruptedException closed) {
      // Nobody wants to know more.
    }
  }

  private synchronized void look() {
    sights.add(RingSight.of(rings));
  }

  /** Returns when packets come: a tap first takes the memory of its rings, however long that is. */
  public void awaitPackets(ChildProcess tap, Duration limit) throws Exception {
    long deadlineNs = System.nanoTime() + limit.toNanos();
    while (RingSight.of(rings).offered() == 0) {
      if (!tap.isAlive() || System.nanoTime() - deadlineNs > 0) {
        throw new AssertionError("no packet came within " + limit + ":\n" + Programs.said(tap));
      }
      Thread.sleep(LOOK_INTERVAL_MS);
    }
  }

  /** Returns when that share of every ring is free, whatever is written meanwhile. */
  public void awaitRoom(double share, Duration limit) throws InterruptedException {
    long deadlineNs = System.nanoTime() + limit.toNanos();
    while (RingSight.of(rings).held() > (1 - share) * slotsOfEach()) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new AssertionError(
            String.format(
                Locale.ROOT,
                "after %s the job still holds %,d of a ring's %,d slots: here it is no faster than"
                    + " the tap",
                limit,
                RingSight.of(rings).held(),
                slotsOfEach()));
      }
      Thread.sleep(LOOK_INTERVAL_MS);
    }
  }

  public long slotsOfEach() {
    return rings.getFirst().identity().slotCount();
  }

  /** What was seen so far, in order. */
  public synchronized List<RingSight> sights() {
    return List.copyOf(sights);
  }

  @Override
  public void close() {
    closing = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    rings.forEach(RingFile::close);
  }
}
