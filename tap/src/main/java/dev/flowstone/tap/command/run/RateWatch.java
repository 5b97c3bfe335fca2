// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.run;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Warns, once, when traffic whose rate nobody knew beforehand turns out to be too much for the
 * rings. Whoever starts it closes it.
 */
public final class RateWatch implements AutoCloseable {
  private static final Duration LOOK_INTERVAL = Duration.ofSeconds(2);

  private final LongSupplier offeredPackets;
  private final Function<OptionalDouble, Optional<String>> warning;
  private final Thread thread = Thread.ofPlatform().name("tap-rate").daemon().unstarted(this::run);

  private final Duration interval;
  private final LongSupplier nanoTime;

  private RateWatch(
      LongSupplier offeredPackets,
      Function<OptionalDouble, Optional<String>> warning,
      Duration interval,
      LongSupplier nanoTime) {
    this.offeredPackets = offeredPackets;
    this.warning = warning;
    this.interval = interval;
    this.nanoTime = nanoTime;
  }

  /**
   * Starts to look.
   *
   * @param warning what to say about a rate in packets per second, if anything
   */
  public static RateWatch start(
      LongSupplier offeredPackets, Function<OptionalDouble, Optional<String>> warning) {
    return start(offeredPackets, warning, LOOK_INTERVAL, System::nanoTime);
  }

  /** The same with another interval between two looks, and by another clock. */
  static RateWatch start(
      LongSupplier offeredPackets,
      Function<OptionalDouble, Optional<String>> warning,
      Duration interval,
      LongSupplier nanoTime) {
    RateWatch watch = new RateWatch(offeredPackets, warning, interval, nanoTime);
    watch.thread.start();
    return watch;
  }

  private void run() {
    Optional<String> said = Optional.empty();
    long earlierNs = nanoTime.getAsLong();
    long earlierPackets = offeredPackets.getAsLong();
    try {
      while (said.isEmpty()) {
        Thread.sleep(interval);
        long nowNs = nanoTime.getAsLong();
        long packets = offeredPackets.getAsLong();
        double rate = (packets - earlierPackets) * 1e9 / (nowNs - earlierNs);
        said = warning.apply(OptionalDouble.of(rate));
        earlierNs = nowNs;
        earlierPackets = packets;
      }
      System.err.println("warning: " + said.get());
    } catch (InterruptedException closed) {
      // There was nothing to warn of.
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
