// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.synthetic.SyntheticOptions;
import dev.flowstone.tap.synthetic.SyntheticPreset;
import dev.flowstone.tap.synthetic.SyntheticSource;
import java.io.IOException;
import java.nio.file.Path;
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
  @Mixin private RingOptions rings;
  @Mixin private RunOptions run;

  @Option(
      names = "--preset",
      paramLabel = "NAME",
      defaultValue = "mix",
      description =
          "mix, syn-flood, esnet-1500-812k, esnet-1500-8127k, esnet-9000-138k, esnet-9000-1383k."
              + " Default ${DEFAULT-VALUE}.")
  private String preset;

  @Option(names = "--seed", paramLabel = "N", description = "Chooses among traffic of one shape.")
  private Optional<Long> seed = Optional.empty();

  @Option(names = "--flows", paramLabel = "N", description = "Conversations alive; default 10,000.")
  private Optional<Integer> flows = Optional.empty();

  @Option(
      names = "--rate",
      paramLabel = "PACKETS",
      description = "Packets per second; default the preset's, which for mix is 1,000,000.")
  private Optional<Double> rate = Optional.empty();

  @Option(
      names = "--unlimited",
      description = "As fast as possible; synthetic time still goes at the rate.")
  private boolean unlimited;

  @Option(names = "--packets", paramLabel = "N", description = "Ends after that many packets.")
  private Optional<Long> packets = Optional.empty();

  @Option(
      names = "--truth",
      paramLabel = "FILE",
      description = "Writes the right answers about the traffic as JSON.")
  private Optional<Path> truth = Optional.empty();

  @Override
  public Integer call() throws IOException {
    SyntheticOptions options = options();
    SyntheticSource source = new SyntheticSource(options);
    double packetsPerSecond = (double) options.packetsPerSecond();
    Pacer pacer = unlimited ? Pacer.unlimited() : Pacer.packetsPerSecond(packetsPerSecond);
    new TapRun(rings, run)
        .run(
            source,
            "synthetic " + preset + " seed " + options.seed(),
            pacer,
            unlimited ? OptionalDouble.empty() : OptionalDouble.of(packetsPerSecond),
            unlimited ? WhenFull.WAIT : WhenFull.DROP);
    if (truth.isPresent()) {
      source.writeTruth(truth.get());
    }
    return 0;
  }

  private SyntheticOptions options() {
    SyntheticOptions options = SyntheticPreset.named(preset).options().withTruth(truth.isPresent());
    if (seed.isPresent()) {
      options = options.withSeed(seed.get());
    }
    if (flows.isPresent()) {
      options = options.withFlows(flows.get());
    }
    if (rate.isPresent()) {
      options = options.withPacketsPerSecond(Math.round(rate.get()));
    }
    return packets.isPresent() ? options.withPacketLimit(packets.get()) : options;
  }
}
