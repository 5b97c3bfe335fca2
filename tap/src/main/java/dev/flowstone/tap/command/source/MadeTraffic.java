// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.commandline.RateConverter;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.tap.Pacer;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.BiFunction;
import picocli.CommandLine.Option;

/** What can be told of traffic that did not come from a wire: how fast, when, how much, which. */
final class MadeTraffic {
  private static final long NANOSECONDS_PER_SECOND = 1_000_000_000;
  private static final double AS_IT_HAPPENS = 1;

  @Option(
      names = "--rate",
      paramLabel = "PACKETS",
      converter = RateConverter.class,
      description = "Packets per second on average, such as 812k or 1.4M; default 1,000,000.")
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
      description = "As fast as possible; the packets' own time still goes at the rate.")
  private boolean unlimited;

  @Option(names = "--packets", paramLabel = "N", description = "Ends after that many packets.")
  @Allowed(from = "1")
  private Optional<Long> packets = Optional.empty();

  @Option(
      names = "--seed",
      paramLabel = "N",
      description =
          "Chooses among traffic of one shape; the same seed, the same packets. Default 1.")
  private Optional<Long> seed = Optional.empty();

  Optional<Long> packetsPerSecond() {
    return rate.map(Math::round);
  }

  Optional<Long> startNs() {
    return start.map(MadeTraffic::startNs);
  }

  Optional<Long> packets() {
    return packets;
  }

  Optional<Long> seed() {
    return seed;
  }

  /** The options, changed where something was told. */
  static <O, V> O with(O options, Optional<V> told, BiFunction<O, V, O> change) {
    return told.map(value -> change.apply(options, value)).orElse(options);
  }

  /** By the packets' own times: what comes on top of the rate is let out when it happens. */
  Pacer pacer() {
    return unlimited ? Pacer.unpaced() : Pacer.recorded(AS_IT_HAPPENS);
  }

  void run(TapRun tap, PacketSource source, String name, long packetsPerSecond) {
    tap.run(
        source,
        name,
        pacer(),
        unlimited ? OptionalDouble.empty() : OptionalDouble.of((double) packetsPerSecond),
        unlimited ? WhenFull.WAIT : WhenFull.DROP);
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
