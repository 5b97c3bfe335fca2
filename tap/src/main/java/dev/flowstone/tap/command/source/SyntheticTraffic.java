// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import static dev.flowstone.tap.command.source.MadeTraffic.with;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.commandline.RateConverter;
import dev.flowstone.tap.Pacer;
import dev.flowstone.traffic.synthetic.Microbursts;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which traffic is generated: what {@code tap synthetic} takes, and a card's feed of that name. */
public final class SyntheticTraffic {
  private static final Duration BURSTS_EVERY = Duration.ofMillis(100);
  private static final long BURST_BITS_PER_SECOND = 100_000_000_000L;

  /** So that a burst ends before the next begins, with the longest frames of a preset. */
  private static final int MOST_BURST_PACKETS = 100_000;

  @Mixin MadeTraffic made;

  @Option(
      names = "--preset",
      paramLabel = "NAME",
      defaultValue = "backbone",
      description =
          "backbone; benign: the same without scans; orderly: long flows, seen whole, no segment twice"
              + " or late; syn-flood: from 10 s on, 100,000 SYN/s for 10 s; frames of one size, at the --rate in their name: esnet-1500-812k, esnet-1500-8127k, esnet-9000-138k, esnet-9000-1383k."
              + " Default ${DEFAULT-VALUE}.")
  String preset;

  @Option(
      names = "--flood",
      paramLabel = "PACKETS",
      converter = RateConverter.class,
      description = "SYNs per second of the preset syn-flood, such as 20k; default 100,000.")
  @Allowed(from = "1", to = "1g", unit = "packets per second", whole = true)
  private Optional<Double> flood = Optional.empty();

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
      names = "--truth",
      paramLabel = "FILE",
      description = "Writes the right answers about the traffic as JSON.")
  Optional<Path> truth = Optional.empty();

  public SyntheticOptions options() {
    SyntheticOptions options = SyntheticOptions.preset(preset);
    options = with(options, truth, SyntheticOptions::withTruthFile);
    options = with(options, flood.map(Math::round), SyntheticOptions::withFloodRate);
    options = with(options, flows, SyntheticOptions::withFlows);
    options = with(options, trains, SyntheticOptions::withTrainPackets);
    options =
        with(options, microbursts.map(SyntheticTraffic::bursts), SyntheticOptions::withMicrobursts);
    options = with(options, made.seed(), SyntheticOptions::withSeed);
    options = with(options, made.packetsPerSecond(), SyntheticOptions::withPacketsPerSecond);
    options = with(options, made.startNs(), SyntheticOptions::withStartNs);
    return with(options, made.packets(), SyntheticOptions::withPackets);
  }

  /** Sends it as fast as it was asked to be. */
  public Pacer pacer() {
    return made.pacer();
  }

  private static Microbursts bursts(int packets) {
    return new Microbursts(BURSTS_EVERY, packets, BURST_BITS_PER_SECOND);
  }
}
