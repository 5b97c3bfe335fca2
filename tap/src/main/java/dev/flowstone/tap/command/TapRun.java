// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import dev.flowstone.commandline.EscapedText;
import dev.flowstone.commandline.OutputFile;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.TapLoop;
import dev.flowstone.tap.metrics.MetricsServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One run of a tap as a process: rings, loop, display, report, and a clean end on SIGTERM. */
final class TapRun {
  private static final long READER_POLL_MS = 20;

  static final long STOP_LIMIT_SECONDS = 5;

  private final RingOptions ringOptions;
  private final RunOptions runOptions;

  TapRun(RingOptions ringOptions, RunOptions runOptions) {
    this.ringOptions = ringOptions;
    this.runOptions = runOptions;
  }

  /** Carries the source's packets into new rings until its end or a signal. */
  void run(PacketSource source, String name, Pacer pacer, OptionalDouble rate, WhenFull usual) {
    run(List.of(source), name, pacer, rate, usual);
  }

  /** The same for sources that a thread of its own fills each. */
  void run(
      List<? extends PacketSource> unwatched,
      String name,
      Pacer pacer,
      OptionalDouble rate,
      WhenFull usual) {
    runOptions.report.ifPresent(OutputFile::requireWritable);
    Duration longestSilence = ringOptions.longestSilence();
    ringOptions.sizeWarning(rate).ifPresent(warning -> System.err.println("warning: " + warning));
    try (WatchedSources sources = WatchedSources.of(unwatched);
        MetricsServer server = runOptions.metrics.map(MetricsServer::bind).orElse(null);
        RingSetWriter rings = ringOptions.create(name, sources.clock(), usual)) {
      rings.populate();
      rings.limitSilence(longestSilence, TapRun::sayAbandoned);
      TapLoop loop = new TapLoop(sources.all(), rings, ringOptions.profile(), pacer);
      RunningTap tap = new RunningTap(name, sources, loop, rings);
      CountDownLatch ended = new CountDownLatch(1);
      Thread hook = new Thread(() -> stopAndAwait(loop, ended), "tap-stop");
      Runtime.getRuntime().addShutdownHook(hook);
      System.err.println(EscapedText.of(name + " -> " + ringOptions.directory().path()));
      try (TapDisplay display = new TapDisplay(tap);
          RingFolderWatch folder = RingFolderWatch.start(tap.files(), loop::stop);
          MetricsServer _ = serve(server, tap)) {
        listen(tap);
        awaitReaders(rings, loop);
        stopAfterLimit(loop);
        display.start();
        carry(loop, rate.isPresent() || ringOptions.whenFull(usual) == WhenFull.WAIT);
        folder.requireAll();
      } finally {
        try {
          finish(TapReport.atTheEnd(tap), pacer);
        } finally {
          ended.countDown();
        }
      }
    }
  }

  /** Ends before the rings are closed; null where nobody asked for metrics. */
  private static MetricsServer serve(MetricsServer server, RunningTap tap) {
    if (server != null) {
      server.start(tap::metrics);
      System.err.println("metrics at http://" + server.address() + "/metrics");
    }
    return server;
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

  private void listen(RunningTap tap) {
    if (runOptions.stopOnStdinEnd || runOptions.countersOnRequest) {
      Thread.ofPlatform().name("tap-stdin").daemon().start(() -> answer(tap));
    }
  }

  private void answer(RunningTap tap) {
    try {
      while (System.in.read() >= 0) {
        if (runOptions.countersOnRequest) {
          System.out.print(tap.report().json());
          System.out.flush();
        }
      }
    } catch (IOException closed) {
      // As good as its end.
    }
    tap.loop().stop();
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
