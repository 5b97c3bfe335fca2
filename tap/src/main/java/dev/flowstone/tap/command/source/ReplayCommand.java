// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.commandline.RateConverter;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.command.run.RunOptions;
import dev.flowstone.tap.replay.ReplayOptions;
import dev.flowstone.tap.replay.ReplaySource;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./flowstone tap replay}. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    description = "Fills rings from capture files: pcap, pcapng, ERF.")
public final class ReplayCommand implements Runnable {
  @Mixin private RingOptions rings;
  @Mixin private RunOptions run;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Capture files, in this order.")
  private List<Path> files;

  @Option(
      names = "--loop",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "How often; 0: for ever. Times go on from lap to lap. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "0", to = "" + Integer.MAX_VALUE)
  private int loop;

  @Option(
      names = "--speed",
      paramLabel = "FACTOR",
      description = "At recorded speed times a factor; default: as fast as possible.")
  @Allowed(from = "0.000001", to = "1000000000")
  private Optional<Double> speed = Optional.empty();

  @Option(
      names = "--rate",
      paramLabel = "PACKETS",
      converter = RateConverter.class,
      description = "At a fixed rate, packets per second, such as 812k.")
  @Allowed(from = "0.01", to = "1g", unit = "packets per second")
  private Optional<Double> rate = Optional.empty();

  @Override
  public void run() {
    if (speed.isPresent() && rate.isPresent()) {
      throw new IllegalArgumentException("--speed and --rate exclude each other");
    }
    boolean paced = speed.isPresent() || rate.isPresent();
    new TapRun(rings, run)
        .run(
            new ReplaySource(new ReplayOptions(files, loop)),
            "replay " + files.get(0).getFileName(),
            pacer(),
            rate.map(OptionalDouble::of).orElseGet(OptionalDouble::empty),
            paced ? WhenFull.DROP : WhenFull.WAIT);
  }

  private Pacer pacer() {
    if (rate.isPresent()) {
      return Pacer.packetsPerSecond(rate.get());
    }
    return speed.isPresent() ? Pacer.recorded(speed.get()) : Pacer.unpaced();
  }
}
