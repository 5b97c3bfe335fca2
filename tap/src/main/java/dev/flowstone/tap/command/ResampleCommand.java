// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.commandline.RateConverter;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.resample.ResampleOptions;
import dev.flowstone.tap.resample.ResampleSource;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
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
final class ResampleCommand implements Runnable {
  private static final double RECORDED_SPEED = 1;

  @Mixin private RingOptions rings;
  @Mixin private RunOptions run;

  @Parameters(
      arity = "1..*",
      paramLabel = "CAPTURE",
      description = "Capture files, all equally likely.")
  private List<Path> captures;

  @Option(
      names = "--rate",
      paramLabel = "PACKETS",
      converter = RateConverter.class,
      description =
          "Packets per second on average, such as 812k; how many instances live at a time follows. Default"
              + " 1,000,000.")
  @Allowed(from = "1", to = "1g", unit = "packets per second", whole = true)
  private Optional<Double> rate = Optional.empty();

  @Option(
      names = "--unlimited",
      description = "As fast as possible; the packets' own time still goes at the rate.")
  private boolean unlimited;

  @Option(
      names = "--instances",
      paramLabel = "N",
      description =
          "So many instances in all, each of them whole; default: without end, some under way at the start.")
  @Allowed(from = "1")
  private Optional<Long> instances = Optional.empty();

  @Option(names = "--packets", paramLabel = "N", description = "Ends after that many packets.")
  @Allowed(from = "1")
  private Optional<Long> packets = Optional.empty();

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Chooses times and addresses; the same seed, the same packets. Default 1.")
  private Optional<Long> seed = Optional.empty();

  @Override
  public void run() {
    ResampleOptions options = options();
    ResampleSource source = new ResampleSource(options);
    describe(source);
    new TapRun(rings, run)
        .run(
            source,
            "resample " + what() + " seed " + options.seed(),
            unlimited ? Pacer.unpaced() : Pacer.recorded(RECORDED_SPEED),
            unlimited
                ? OptionalDouble.empty()
                : OptionalDouble.of((double) options.packetsPerSecond()),
            unlimited ? WhenFull.WAIT : WhenFull.DROP);
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
    if (rate.isPresent()) {
      options = options.withPacketsPerSecond(Math.round(rate.get()));
    }
    if (instances.isPresent()) {
      options = options.withInstances(instances.get());
    }
    if (packets.isPresent()) {
      options = options.withPackets(packets.get());
    }
    return seed.isPresent() ? options.withSeed(seed.get()) : options;
  }
}
