// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.inspect.count.InspectException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Ends this program when its memory has run out: what a thread leaves undone that met an
 * OutOfMemoryError, others wait for without end. Says so in one line, which is made beforehand, as
 * all else is that its threads need.
 */
final class MemoryWatch implements AutoCloseable {
  private static final int FAILED = 1;
  private static final int RESERVE_BYTES = 4 << 20;
  private static final long LOOK_MS = 100;
  private static final long CLEAN_UP_MS = 3_000;

  /** A collector at work for nearly all of such a time will not find what is wanted. */
  private static final long WINDOW_MS = 10_000;

  private static final long MOST_COLLECTING_MS = WINDOW_MS * 95 / 100;

  /** Given up first: the way out takes a little memory, too. */
  private static final AtomicReference<byte[]> RESERVE =
      new AtomicReference<>(new byte[RESERVE_BYTES]);

  private final byte[] words;
  private final FileOutputStream terminal = new FileOutputStream(FileDescriptor.err);
  private final GarbageCollectorMXBean[] collectors =
      ManagementFactory.getGarbageCollectorMXBeans().toArray(GarbageCollectorMXBean[]::new);
  private final ScratchFolder folder;
  private volatile boolean over;
  private volatile boolean closed;

  private MemoryWatch(ScratchFolder folder) {
    this.folder = folder;
    String reason =
        InspectException.outOfMemory(new OutOfMemoryError("Java heap space")).getMessage();
    words = ("flowstone: " + reason + System.lineSeparator()).getBytes(UTF_8);
  }

  /**
   * Begins to look.
   *
   * @param folder removed before the end, if there is memory for that
   */
  static MemoryWatch start(ScratchFolder folder) {
    MemoryWatch watch = new MemoryWatch(folder);
    Thread.ofPlatform().daemon().name("memory-watch").start(watch::watch);
    Thread.ofPlatform().daemon().name("memory-end").start(watch::haltWhenOver);
    return watch;
  }

  /** It has run out. Takes no memory. */
  void end() {
    over = true;
  }

  private void watch() {
    long windowNs = System.nanoTime();
    long collectingMs = collectingMs();
    while (!over && !closed) {
      pause(LOOK_MS);
      long nowNs = System.nanoTime();
      if (nowNs - windowNs > WINDOW_MS * 1_000_000) {
        long laterMs = collectingMs();
        over |= laterMs - collectingMs > MOST_COLLECTING_MS;
        windowNs = nowNs;
        collectingMs = laterMs;
      }
    }
    if (!over) {
      return;
    }
    RESERVE.set(null);
    try {
      terminal.write(words);
      folder.close();
    } catch (IOException nobodyListens) {
      // It ends all the same.
    } finally {
      Runtime.getRuntime().halt(FAILED);
    }
  }

  private long collectingMs() {
    long sum = 0;
    for (GarbageCollectorMXBean collector : collectors) {
      sum += collector.getCollectionTime();
    }
    return sum;
  }

  private void haltWhenOver() {
    while (!over && !closed) {
      pause(LOOK_MS);
    }
    if (over) {
      pause(CLEAN_UP_MS);
      Runtime.getRuntime().halt(FAILED);
    }
  }

  /** Looks no more. */
  @Override
  public void close() {
    closed = true;
  }

  private static void pause(long milliseconds) {
    try {
      Thread.sleep(milliseconds);
    } catch (InterruptedException e) {
      // Nobody has a reason to.
    }
  }
}
