// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import dev.flowstone.commandline.EscapedText;
import dev.flowstone.commandline.OutputFile;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.TapLoop;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** One run of a tap as a process: rings, loop, display, report, and a clean end on SIGTERM. */
final class TapRun {
  private static final long READER_POLL_MS = 20;

  private static final long STOP_LIMIT_SECONDS = 5;

  private final RingOptions ringOptions;
  private final RunOptions runOptions;

  TapRun(RingOptions ringOptions, RunOptions runOptions) {
    this.ringOptions = ringOptions;
    this.runOptions = runOptions;
  }

  /** Carries the source's packets into new rings until its end or a signal. */
  void run(PacketSource unwatched, String name, Pacer pacer, OptionalDouble rate, WhenFull usual) {
    runOptions.report.ifPresent(OutputFile::requireWritable);
    Duration longestSilence = ringOptions.longestSilence();
    ringOptions.sizeWarning(rate).ifPresent(warning -> System.err.println("warning: " + warning));
    try (WatchedSource source = new WatchedSource(unwatched);
        RingSetWriter rings = ringOptions.create(name, source.clock(), usual)) {
      rings.populate();
      rings.limitSilence(longestSilence, TapRun::sayAbandoned);
      TapLoop loop = new TapLoop(source, rings, ringOptions.profile(), pacer);
      CountDownLatch ended = new CountDownLatch(1);
      Thread hook = new Thread(() -> stopAndAwait(loop, ended), "tap-stop");
      Runtime.getRuntime().addShutdownHook(hook);
      System.err.println(EscapedText.of(name + " -> " + ringOptions.directory().path()));
      try (TapDisplay display = new TapDisplay(source, loop, rings);
          RingFolderWatch folder = RingFolderWatch.start(files(rings), loop::stop)) {
        listen(source, loop, rings);
        awaitReaders(rings, loop);
        stopAfterLimit(loop);
        display.start();
        carry(loop, rate.isPresent() || ringOptions.whenFull(usual) == WhenFull.WAIT);
        folder.requireAll();
      } finally {
        try {
          finish(TapReport.atTheEnd(source, loop, rings), pacer);
        } finally {
          ended.countDown();
        }
      }
    }
  }

  private static void sayAbandoned(RingSetWriter.AbandonedLane lane) {
    System.err.printf(
        "warning: ring %d: reader %s (pid %d) gave no sign of life for %d s, its space is taken: what it has not"
            + " read by now counts as missed if it comes back%n",
        lane.ring(),
        EscapedText.of(lane.reader().name()),
        lane.reader().pid(),
        TimeUnit.NANOSECONDS.toSeconds(lane.reader().silenceNs()));
  }

  private static List<RingFile> files(RingSetWriter rings) {
    return IntStream.range(0, rings.ringCount()).mapToObj(rings::ringFile).toList();
  }

  private void carry(TapLoop loop, boolean rateIsKnown) {
    if (rateIsKnown) {
      loop.run();
      return;
    }
    try (RateWatch _ = RateWatch.start(loop::offeredPackets, ringOptions::sizeWarning)) {
      loop.run();
    }
  }

  private void finish(TapReport report, Pacer pacer) {
    report.finish(runOptions.report);
    if (runOptions.countersOnRequest) {
      System.out.print(report.json());
    }
    if (pacer.skippedGaps() > 0) {
      System.err.printf(
          "  %,d gaps between recorded times were too long and not waited for%n",
          pacer.skippedGaps());
    }
  }

  private void awaitReaders(RingSetWriter rings, TapLoop loop) {
    while (ringOptions.waitForReader() && !loop.isStopping() && !rings.allHaveGatingReader()) {
      try {
        Thread.sleep(READER_POLL_MS);
      } catch (InterruptedException e) {
        loop.stop();
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private void stopAfterLimit(TapLoop loop) {
    runOptions.seconds.ifPresent(
        seconds ->
            Thread.ofPlatform().name("tap-limit").daemon().start(() -> stopAfter(seconds, loop)));
  }

  private static void stopAfter(double seconds, TapLoop loop) {
    LockSupport.parkNanos((long) (seconds * 1e9));
    loop.stop();
  }

  private void listen(WatchedSource source, TapLoop loop, RingSetWriter rings) {
    if (runOptions.stopOnStdinEnd || runOptions.countersOnRequest) {
      Thread.ofPlatform().name("tap-stdin").daemon().start(() -> answer(source, loop, rings));
    }
  }

  private void answer(WatchedSource source, TapLoop loop, RingSetWriter rings) {
    try {
      while (System.in.read() >= 0) {
        if (runOptions.countersOnRequest) {
          System.out.print(TapReport.whileRunning(source, loop, rings).json());
          System.out.flush();
        }
      }
    } catch (IOException closed) {
      // As good as its end.
    }
    loop.stop();
  }

  private static void stopAndAwait(TapLoop loop, CountDownLatch ended) {
    loop.stop();
    try {
      if (!ended.await(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        System.err.println(
            "the tap did not end within " + STOP_LIMIT_SECONDS + " s; its rings stay open");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
