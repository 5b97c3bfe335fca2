// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import java.nio.ByteBuffer;

/** Where datagrams go. */
@FunctionalInterface
public interface DatagramOutput {
  /** Sends a datagram, which may be changed afterwards; false: it could not be sent. */
  boolean send(ByteBuffer datagram);

  /** Last words follow: if nobody listens any more then, they have been heard. */
  default void beginLastWords() {}

  default boolean areLastWordsHeard() {
    return false;
  }
}
