// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.tap.command.run.ReaderWait;
import dev.flowstone.tap.command.run.RingFileOptions;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What every tap of packets may be told about its rings. */
final class RingOptions {
  @Mixin private RingFileOptions files;

  @Option(
      names = "--ring-count",
      paramLabel = "N",
      defaultValue = "2",
      description =
          "How many rings; a multiple of the job's parallelism. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "1", to = "" + RingFileHeaderLayout.MAX_RINGS)
  private int ringCount;

  @Option(
      names = "--max-parallelism",
      paramLabel = "N",
      defaultValue = "128",
      description = "The Flink job's maxParallelism. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "1", to = "" + RingFileHeaderLayout.MAX_KEY_GROUPS)
  private int maxParallelism;

  @Option(
      names = "--profile",
      paramLabel = "PROFILE",
      defaultValue = "software",
      description =
          "software: all link types and header chains; card: as deep as the U280's pipeline. Default ${DEFAULT-VALUE}.")
  private String profile;

  @Option(
      names = "--when-full",
      paramLabel = "drop|wait",
      description =
          "What to do when readers leave no room. Default: drop; but wait where packets come as fast as"
              + " possible: a replay at full speed, made traffic without a rate.")
  private Optional<String> whenFull = Optional.empty();

  @Mixin ReaderWait readers;

  void limitSilence(RingSetWriter rings) {
    files.limitSilence(rings);
  }

  RingDirectory directory() {
    return files.directory();
  }

  ParserProfile profile() {
    return switch (profile.toLowerCase(Locale.ROOT)) {
      case "software" -> ParserProfile.SOFTWARE;
      case "card" -> ParserProfile.CARD;
      default -> throw new IllegalArgumentException("--profile is software or card: " + profile);
    };
  }

  WhenFull whenFull(WhenFull usual) {
    return whenFull
        .map(
            text ->
                switch (text.toLowerCase(Locale.ROOT)) {
                  case "drop" -> WhenFull.DROP;
                  case "wait" -> WhenFull.WAIT;
                  default ->
                      throw new IllegalArgumentException("--when-full is drop or wait: " + text);
                })
        .orElse(usual);
  }

  RingSetWriter create(String tapName, int clock, WhenFull usual) {
    return files.create(tapName, ringCount, maxParallelism, clock, whenFull(usual));
  }

  /**
   * The warning for rings that last less than they must at a rate; empty when they are large enough
   * or the rate is not known.
   */
  Optional<String> sizeWarning(OptionalDouble packetsPerSecond) {
    return files.sizeWarning(packetsPerSecond, ringCount);
  }
}
