// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.tap.receive.RingMaker;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The rings of a receiver, from when they are made on: watched like those of any tap. Whoever made
 * it closes it, before the rings.
 */
final class FilledRings implements RingMaker, AutoCloseable {
  private final RingFileOptions options;
  private final String name;
  private volatile List<RingFile> files = List.of();
  private RingFolderWatch folder;
  private RateWatch rate;
  private Runnable stop = () -> {};

  /**
   * @param name of the tap, as the rings' headers have it
   */
  FilledRings(RingFileOptions options, String name) {
    this.options = options;
    this.name = name;
  }

  /** What is done when a ring file is no longer there; said before the rings are made. */
  void stopWhenGone(Runnable stopping) {
    stop = stopping;
  }

  @Override
  public RingDirectory directory() {
    return options.directory();
  }

  /** Full rings drop: were readers waited for, the kernel would drop in their place. */
  @Override
  public RingSetWriter make(int ringCount, int maxParallelism, int clock) {
    return options.create(name, ringCount, maxParallelism, clock, WhenFull.DROP);
  }

  /** They are there. */
  void watch(RingSetWriter rings) {
    rings.populate();
    rings.limitSilence(options.longestSilence(), TapRun::sayAbandoned);
    files = IntStream.range(0, rings.ringCount()).mapToObj(rings::ringFile).toList();
    folder = RingFolderWatch.start(files, stop);
    rate =
        RateWatch.start(
            () -> counters().stream().mapToLong(RingCounters::offeredPackets).sum(),
            packetsPerSecond -> options.sizeWarning(packetsPerSecond, rings.ringCount()));
  }

  List<RingFile> files() {
    return files;
  }

  List<RingCounters> counters() {
    return files.stream().map(RingFile::counters).toList();
  }

  /** Throws if a ring file was taken away. */
  void requireAll() {
    if (folder != null) {
      folder.requireAll();
    }
  }

  @Override
  public void close() {
    if (folder != null) {
      folder.close();
      rate.close();
    }
  }
}
