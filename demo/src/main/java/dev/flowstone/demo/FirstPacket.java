// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.time.Duration;
import java.util.Optional;

/** The wait for the first packet: a screen that stays empty would not tell what is missing. */
final class FirstPacket {
  private static final Duration USUAL_WAIT = Duration.ofSeconds(5);

  private final long startNs;
  private boolean said;

  FirstPacket(long startNs) {
    this.startNs = startNs;
  }

  /** What to say while none has come: nothing at first, and nothing twice. */
  Optional<String> words(long nowNs) {
    if (said || nowNs - startNs < USUAL_WAIT.toNanos()) {
      return Optional.empty();
    }
    said = true;
    return Optional.of("no packet yet; waiting for the first");
  }
}
