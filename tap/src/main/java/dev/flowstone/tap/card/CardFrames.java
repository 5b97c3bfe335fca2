// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import java.util.List;

/**
 * What a card without a cable sends its ports itself, out of its own memory.
 *
 * @param captures of each port; none: frames come over cables
 * @param rounds how often; {@link #FOREVER} until the tap is stopped
 * @param gapCycles clock cycles that are left free after each frame
 */
public record CardFrames(List<CardCapture> captures, int rounds, int gapCycles) {
  public static final int FOREVER = 0;

  /** For a card with cables. */
  public static final CardFrames NONE = new CardFrames(List.of(), 1, 0);

  public CardFrames {
    captures = List.copyOf(captures);
    if (captures.size() > Card.PORT_COUNT) {
      throw new IllegalArgumentException(
          "a card has %d ports: captures of %d".formatted(Card.PORT_COUNT, captures.size()));
    }
    if (rounds < FOREVER || gapCycles < 0) {
      throw new IllegalArgumentException(
          "neither rounds nor cycles are below 0: rounds=%d, gapCycles=%d"
              .formatted(rounds, gapCycles));
    }
  }

  boolean areSent() {
    return !captures.isEmpty();
  }

  CardCapture ofPort(int port) {
    return port < captures.size() ? captures.get(port) : CardCapture.NONE;
  }
}
