// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import dev.flowstone.offheap.ring.ReaderName;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.tap.datagram.DatagramKey;
import java.util.Optional;

/**
 * What a sender reads, and how.
 *
 * @param reader by which it finds its place in the rings again
 * @param observing whether the tap does not wait for it
 * @param bounded whether it ends with the rings; else it goes on with those of the next tap
 * @param key that authenticates the datagrams; empty: they have no tag
 */
public record ForwardOptions(
    RingDirectory rings,
    ReaderName reader,
    boolean observing,
    boolean bounded,
    Optional<DatagramKey> key) {

  /** The same without a key. */
  public ForwardOptions(
      RingDirectory rings, ReaderName reader, boolean observing, boolean bounded) {
    this(rings, reader, observing, bounded, Optional.empty());
  }
}
