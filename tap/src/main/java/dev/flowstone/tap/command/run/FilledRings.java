// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.run;

import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingRoom;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.tap.receive.RingMaker;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The rings of a receiver or of a card, from when they are made on: watched like those of any tap.
 * Made anew, the new ones are watched. Whoever made it closes it, before the rings.
 */
public final class FilledRings implements RingMaker, AutoCloseable {
  private final RingFileOptions options;
  private final RingDirectory directory;
  private final String name;
  private volatile List<RingFile> files = List.of();

  /** Held while they are read, and to have them read no more. */
  private final Object reading = new Object();

  /** Held while they are made, or room for them. */
  private final Object making = new Object();

  private Optional<RingRoom> room = Optional.empty();
  private volatile boolean isOver;

  private RingFolderWatch folder;
  private RateWatch rate;
  private Runnable stop = () -> {};

  /**
   * @param name of the tap, as the rings' headers have it
   */
  public FilledRings(RingFileOptions options, String name) {
    this(options, options.directory(), name);
  }

  /** The same in another folder. */
  public FilledRings(RingFileOptions options, RingDirectory directory, String name) {
    this.options = options;
    this.directory = directory;
    this.name = name;
  }

  /** What is done when a ring file is no longer there; said before the rings are made. */
  public void stopWhenGone(Runnable stopping) {
    stop = stopping;
  }

  @Override
  public RingDirectory directory() {
    return directory;
  }

  /** Full rings drop: were readers waited for, the kernel would drop in their place. */
  @Override
  public RingSetWriter make(int ringCount, int maxParallelism, int clock) {
    close();
    folder = null;
    rate = null;
    synchronized (making) {
      RingSetWriter made =
          options.create(directory, name, ringCount, maxParallelism, clock, WhenFull.DROP, room);
      room = Optional.empty();
      return made;
    }
  }

  /** Has room ready for those that are made next, while those before are filled. */
  public void prepare(int ringCount, int maxParallelism, int clock) {
    RingRoom taken;
    synchronized (making) {
      if (isOver) {
        return;
      }
      room = Optional.empty();
      taken = options.room(directory, name, ringCount, maxParallelism, clock);
      room = Optional.of(taken);
    }
    taken.touch(() -> isOver);
  }

  /** No more are made: room that was taken for others is given back. */
  public void makeNoMore() {
    isOver = true;
    synchronized (making) {
      room.ifPresent(RingRoom::giveBack);
      room = Optional.empty();
    }
  }

  /** The same, with as little room as there may be. */
  public RingSetWriter makeSmallest(int ringCount, int maxParallelism, int clock) {
    return options.createSmallest(directory, name, ringCount, maxParallelism, clock);
  }

  /** They are there. */
  public void watch(RingSetWriter rings) {
    close();
    rings.populate();
    options.limitSilence(rings);
    files = IntStream.range(0, rings.ringCount()).mapToObj(rings::ringFile).toList();
    folder = RingFolderWatch.start(files, stop);
    rate =
        RateWatch.start(
            () -> counters().stream().mapToLong(RingCounters::offeredPackets).sum(),
            packetsPerSecond -> options.sizeWarning(packetsPerSecond, rings.ringCount()));
  }

  public List<RingFile> files() {
    return files;
  }

  public List<RingCounters> counters() {
    synchronized (reading) {
      return files.stream().map(RingFile::counters).toList();
    }
  }

  /** Runs an action on the ring files, none of which is closed meanwhile. */
  public <T> T read(Function<List<RingFile>, T> action) {
    synchronized (reading) {
      return action.apply(files);
    }
  }

  /** They are about to be closed: whoever looks on asks them nothing more. */
  @Override
  public void forget() {
    synchronized (reading) {
      files = List.of();
    }
    close();
  }

  /** Throws if a ring file was taken away. */
  public void requireAll() {
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
