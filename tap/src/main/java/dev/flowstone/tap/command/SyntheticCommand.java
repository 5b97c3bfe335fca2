// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.commandline.OutputFile;
import dev.flowstone.commandline.RateConverter;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.tap.Pacer;
import dev.flowstone.traffic.synthetic.Microbursts;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./flowstone tap synthetic}. */
@Command(
    name = "synthetic",
    mixinStandardHelpOptions = true,
    description = "Fills rings with made-up traffic whose right answers are known.")
final class SyntheticCommand implements Callable<Integer> {
  private static final long NANOSECONDS_PER_SECOND = 1_000_000_000;
  private static final double AS_IT_HAPPENS = 1;
  private static final Duration BURSTS_EVERY = Duration.ofMillis(100);
  private static final long BURST_BITS_PER_SECOND = 100_000_000_000L;

  /** So that a burst ends before the next begins, with the longest frames of a preset. */
  private static final int MOST_BURST_PACKETS = 100_000;

  @Mixin private RingOptions rings;
  @Mixin private RunOptions run;

  @Option(
      names = "--preset",
      paramLabel = "NAME",
      defaultValue = "backbone",
      description =
          "backbone; benign: the same without scans; orderly: long flows, seen whole, no segment twice or late; syn-flood: from 10 s on, 100,000 SYN/s for 10 s; frames of one"
              + " size: esnet-1500-812k, esnet-1500-8127k, esnet-9000-138k, esnet-9000-1383k."
              + " Default ${DEFAULT-VALUE}.")
  private String preset;

  @Option(names = "--seed", paramLabel = "N", description = "Chooses among traffic of one shape.")
  private Optional<Long> seed = Optional.empty();

  @Option(names = "--flows", paramLabel = "N", description = "Conversations alive; default 11,000.")
  @Allowed(from = "1", to = "" + SyntheticOptions.MAX_FLOWS)
  private Optional<Integer> flows = Optional.empty();

  @Option(
      names = "--trains",
      paramLabel = "N",
      description =
          "Packets that a flow sends in a row, on average: 1 for a flow drawn anew for every packet; default 4.")
  @Allowed(from = "1", to = "" + SyntheticOptions.MAX_TRAIN_PACKETS)
  private Optional<Integer> trains = Optional.empty();

  @Option(
      names = "--microbursts",
      paramLabel = "PACKETS",
      description =
          "Every 100 ms so many packets of one flow back to back, as 100 Gb/s carries them, on top of the rate.")
  @Allowed(from = "2", to = "" + MOST_BURST_PACKETS)
  private Optional<Integer> microbursts = Optional.empty();

  @Option(
      names = "--rate",
      paramLabel = "PACKETS",
      converter = RateConverter.class,
      description =
          "Packets per second, such as 812k or 1.4M; default the preset's, which for backbone is 1,000,000.")
  @Allowed(from = "1", to = "1g", unit = "packets per second", whole = true)
  private Optional<Double> rate = Optional.empty();

  @Option(
      names = "--start",
      paramLabel = "TIME",
      description =
          "Time of the traffic's begin: now, or such as 2026-01-31T12:00:00Z; default"
              + " 2026-01-01T00:00:00Z, so that a seed gives the same packets each time.")
  private Optional<String> start = Optional.empty();

  @Option(
      names = "--unlimited",
      description = "As fast as possible; synthetic time still goes at the rate.")
  private boolean unlimited;

  @Option(names = "--packets", paramLabel = "N", description = "Ends after that many packets.")
  @Allowed(from = "1")
  private Optional<Long> packets = Optional.empty();

  @Option(
      names = "--truth",
      paramLabel = "FILE",
      description = "Writes the right answers about the traffic as JSON.")
  private Optional<Path> truth = Optional.empty();

  @Override
  public Integer call() {
    truth.ifPresent(OutputFile::requireWritable);
    SyntheticOptions options = options();
    SyntheticSource source = new SyntheticSource(options);
    double packetsPerSecond = (double) options.packetsPerSecond();
    // By their own times: bursts and floods come on top of the rate.
    Pacer pacer = unlimited ? Pacer.unpaced() : Pacer.recorded(AS_IT_HAPPENS);
    new TapRun(rings, run)
        .run(
            source,
            "synthetic " + preset + " seed " + options.seed(),
            pacer,
            unlimited ? OptionalDouble.empty() : OptionalDouble.of(packetsPerSecond),
            unlimited ? WhenFull.WAIT : WhenFull.DROP);
    return 0;
  }

  private SyntheticOptions options() {
    SyntheticOptions options = SyntheticOptions.preset(preset);
    if (truth.isPresent()) {
      options = options.withTruthFile(truth.get());
    }
    if (seed.isPresent()) {
      options = options.withSeed(seed.get());
    }
    if (flows.isPresent()) {
      options = options.withFlows(flows.get());
    }
    if (trains.isPresent()) {
      options = options.withTrainPackets(trains.get());
    }
    if (microbursts.isPresent()) {
      options =
          options.withMicrobursts(
              new Microbursts(BURSTS_EVERY, microbursts.get(), BURST_BITS_PER_SECOND));
    }
    if (rate.isPresent()) {
      options = options.withPacketsPerSecond(Math.round(rate.get()));
    }
    if (start.isPresent()) {
      options = options.withStartNs(startNs(start.get()));
    }
    return packets.isPresent() ? options.withPackets(packets.get()) : options;
  }

  private static long startNs(String text) {
    try {
      Instant time = text.equals("now") ? Instant.now() : Instant.parse(text);
      return Math.addExact(
          Math.multiplyExact(time.getEpochSecond(), NANOSECONDS_PER_SECOND), time.getNano());
    } catch (DateTimeParseException | ArithmeticException e) {
      throw new IllegalArgumentException(
          "--start is now, or a time such as 2026-01-31T12:00:00Z: " + text, e);
    }
  }
}
