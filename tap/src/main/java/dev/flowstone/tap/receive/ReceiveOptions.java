// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.tap.datagram.DatagramKey;
import java.time.Duration;
import java.util.Optional;

/**
 * Which datagrams a receiver accepts, and how it puts them into their order.
 *
 * @param reorder datagrams of a ring among which the order may be another
 * @param patience how long one waits for those before it
 * @param maxRings how many rings the receiver makes at most, whatever a sender asks for
 * @param key that authenticates datagrams; empty: anyone may send
 */
public record ReceiveOptions(
    int reorder, Duration patience, int maxRings, Optional<DatagramKey> key) {
  public static final int USUAL_REORDER = 64;
  public static final int MOST_REORDER = 1024;
  public static final int DEFAULT_MAX_RINGS = 16;

  /** With the default maximum of rings, and without a key. */
  public ReceiveOptions(int reorder, Duration patience) {
    this(reorder, patience, DEFAULT_MAX_RINGS, Optional.empty());
  }
}
