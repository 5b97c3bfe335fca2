// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import java.util.List;

/**
 * Whether sources that have ended did what they were to do, and all that they sent came to their
 * ports.
 */
final class SourceCheck {
  private SourceCheck() {}

  /**
   * Throws if one did not.
   *
   * @param card its name
   * @param isWhole whether they came to their ends by themselves, and were not stopped
   */
  static void require(
      String card, List<CardSourceCounters> sources, List<PortCounters> ports, boolean isWhole) {
    for (int port = 0; port < sources.size(); port++) {
      String name = "%s, source of port %d".formatted(card, port);
      CardSourceCounters source = sources.get(port);
      requireNoFault(name, source);
      requireAllCame(name, source, ports.get(port));
      if (isWhole) {
        requireAllSent(name, source);
      }
    }
  }

  private static void requireNoFault(String name, CardSourceCounters source) {
    if (source.readFailed()) {
      throw new CardException(
          "%s: the card's memory refused a read after %,d packets, and nothing more was sent: reset the card (xbutil reset), look whether its memory is well (xbutil validate), then start the tap again"
              .formatted(name, source.sentPackets()));
    }
    if (source.cutShort()) {
      throw new CardException(
          "%s: what it read of the card's memory ended in the middle of a block after %,d packets: that is not what this tap put there; reset the card (xbutil reset), then start the tap again"
              .formatted(name, source.sentPackets()));
    }
  }

  private static void requireAllCame(String name, CardSourceCounters source, PortCounters port) {
    if (source.sentPackets() != port.receivedPackets() + port.badPackets()) {
      throw new CardException(
          "%s: it sent %,d packets, and its port counts %,d that came and %,d damaged ones: the card's counters cannot be trusted; use the xclbin of the same release"
              .formatted(name, source.sentPackets(), port.receivedPackets(), port.badPackets()));
    }
  }

  private static void requireAllSent(String name, CardSourceCounters source) {
    if (source.sentPackets() != source.wantedPackets()) {
      throw new CardException(
          "%s: it ended by itself after %,d of %,d packets: what lies in the card's memory is not what this tap put there; reset the card (xbutil reset), then start the tap again"
              .formatted(name, source.sentPackets(), source.wantedPackets()));
    }
  }
}
