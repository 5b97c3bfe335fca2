// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import static dev.flowstone.tap.command.source.MadeTraffic.with;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.command.run.RunOptions;
import dev.flowstone.tap.resample.ResampleOptions;
import dev.flowstone.tap.resample.ResampleSource;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./flowstone tap resample}. */
@Command(
    name = "resample",
    mixinStandardHelpOptions = true,
    description = {
      "Fills rings with traffic made of captures: pcap, pcapng, ERF.",
      "Each capture is a template. Instances of them start at random times and live side by side, each with"
          + " addresses and client ports of its own; sizes, gaps and order are those of the capture."
    })
public final class ResampleCommand implements Runnable {
  @Mixin private RingOptions rings;
  @Mixin private RunOptions run;
  @Mixin private MadeTraffic traffic;

  @Parameters(
      arity = "1..*",
      paramLabel = "CAPTURE",
      description = "Capture files, all equally likely.")
  private List<Path> captures;

  @Option(
      names = "--instances",
      paramLabel = "N",
      description =
          "So many instances in all, each of them whole; default: without end, some under way at the start."
              + " How many live at a time follows from the rate.")
  @Allowed(from = "1")
  private Optional<Long> instances = Optional.empty();

  @Override
  public void run() {
    ResampleOptions options = options();
    ResampleSource source = new ResampleSource(options);
    describe(source);
    traffic.run(
        new TapRun(rings, run),
        source,
        "resample " + what() + " seed " + options.seed(),
        options.packetsPerSecond());
  }

  private static void describe(ResampleSource source) {
    System.err.printf(
        Locale.ROOT, "about %,.0f instances live at a time%n", Math.max(1, source.meanAlive()));
    if (source.skippedGaps() > 0) {
      System.err.printf(
          Locale.ROOT,
          "  gaps of more than %d s between recorded times, left out: %,d%n",
          TimeUnit.NANOSECONDS.toSeconds(Pacer.LONGEST_GAP_NS),
          source.skippedGaps());
    }
  }

  private String what() {
    return captures.size() == 1
        ? captures.get(0).getFileName().toString()
        : captures.size() + " captures";
  }

  private ResampleOptions options() {
    ResampleOptions options = ResampleOptions.of(captures);
    options = with(options, instances, ResampleOptions::withInstances);
    options = with(options, traffic.seed(), ResampleOptions::withSeed);
    options = with(options, traffic.packetsPerSecond(), ResampleOptions::withPacketsPerSecond);
    options = with(options, traffic.startNs(), ResampleOptions::withStartNs);
    return with(options, traffic.packets(), ResampleOptions::withPackets);
  }
}
