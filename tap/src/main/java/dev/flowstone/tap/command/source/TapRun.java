// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import dev.flowstone.commandline.EscapedText;
import dev.flowstone.commandline.OutputFile;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.TapLoop;
import dev.flowstone.tap.command.run.RateWatch;
import dev.flowstone.tap.command.run.RingFolderWatch;
import dev.flowstone.tap.command.run.RunEnd;
import dev.flowstone.tap.command.run.RunOptions;
import dev.flowstone.tap.command.run.TerminalLine;
import dev.flowstone.tap.metrics.MetricsServer;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** One run of a tap as a process: rings, loop, display, report, and a clean end on SIGTERM. */
final class TapRun {
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
    Optional<FormerTap> former = FormerTap.of(ringOptions.directory());
    ringOptions.sizeWarning(rate).ifPresent(warning -> System.err.println("warning: " + warning));
    try (WatchedSources sources = WatchedSources.of(unwatched);
        MetricsServer server = runOptions.bindMetrics();
        RingSetWriter rings = ringOptions.create(name, sources.clock(), usual)) {
      rings.populate();
      ringOptions.limitSilence(rings);
      TapLoop loop = new TapLoop(sources.all(), rings, ringOptions.profile(), pacer);
      RunningTap tap = new RunningTap(name, sources, loop, rings);
      RunEnd end = RunEnd.listen(runOptions, loop::stop);
      System.err.println(EscapedText.of(name + " -> " + ringOptions.directory().path()));
      if (FormerTap.isLive(sources.clock())) {
        former.ifPresent(each -> System.err.println(each.gapUntil(Instant.now())));
      }
      try (TerminalLine display = new TerminalLine(new TapDisplay(tap));
          RingFolderWatch folder = RingFolderWatch.start(tap.files(), loop::stop);
          MetricsServer _ = MetricsServer.serve(server, tap::metrics)) {
        end.answer(() -> tap.report().json());
        ringOptions.readers.await(rings, loop::isStopping);
        if (Thread.currentThread().isInterrupted()) {
          loop.stop();
        }
        end.stopAfterLimit();
        display.start();
        carry(loop, rate.isPresent() || ringOptions.whenFull(usual) == WhenFull.WAIT);
        folder.requireAll();
      } finally {
        try {
          finish(TapReport.atTheEnd(tap), pacer);
        } finally {
          end.close();
        }
      }
    }
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
}
