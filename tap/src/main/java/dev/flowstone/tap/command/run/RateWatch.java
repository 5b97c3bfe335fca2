// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.run;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Warns, once, when traffic whose rate nobody knew beforehand turns out to be too much for the
 * rings. Whoever starts it closes it.
 */
public final class RateWatch implements AutoCloseable {
  private static final long LOOK_MS = 2_000;

  private final LongSupplier offeredPackets;
  private final Function<OptionalDouble, Optional<String>> warning;
  private final Thread thread = Thread.ofPlatform().name("tap-rate").daemon().unstarted(this::run);

  private RateWatch(
      LongSupplier offeredPackets, Function<OptionalDouble, Optional<String>> warning) {
    this.offeredPackets = offeredPackets;
    this.warning = warning;
  }

  /**
   * Starts to look.
   *
   * @param warning what to say about a rate in packets per second, if anything
   */
  public static RateWatch start(
      LongSupplier offeredPackets, Function<OptionalDouble, Optional<String>> warning) {
    RateWatch watch = new RateWatch(offeredPackets, warning);
    watch.thread.start();
    return watch;
  }

  private void run() {
    Optional<String> said = Optional.empty();
    long earlierNs = System.nanoTime();
    long earlierPackets = offeredPackets.getAsLong();
    try {
      while (said.isEmpty()) {
        Thread.sleep(LOOK_MS);
        long nowNs = System.nanoTime();
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
