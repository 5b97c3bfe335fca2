// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.datagram;

import dev.flowstone.model.abi.TelemetryDatagramLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import javax.crypto.Mac;
import javax.crypto.ShortBufferException;

/**
 * Appends the tag of a key to datagrams and verifies it. The tag is the first bytes of the
 * HMAC-SHA-256 of all preceding bytes. Creates one array per datagram, which {@link Mac} cannot
 * avoid. One thread.
 */
final class DatagramTag {
  static final int BYTES = TelemetryDatagramLayout.TAG_BYTES;

  private final Mac mac;
  private final byte[] computed;

  DatagramTag(DatagramKey key) {
    mac = key.mac();
    computed = new byte[mac.getMacLength()];
  }

  /** Writes the tag of the first bytes of a buffer behind these bytes. */
  void append(DatagramBuffer buffer, int lengthBytes) {
    compute(buffer, lengthBytes);
    buffer.toFill().position(lengthBytes).put(computed, 0, BYTES);
  }

  /** Returns whether a datagram ends with its tag, in a time that does not depend on the tag. */
  boolean isValid(DatagramBuffer buffer, int lengthBytes) {
    int tagOffset = lengthBytes - BYTES;
    compute(buffer, tagOffset);
    MemorySegment memory = buffer.memory();
    int difference = 0;
    for (int i = 0; i < BYTES; i++) {
      difference |= computed[i] ^ memory.get(ValueLayout.JAVA_BYTE, tagOffset + i);
    }
    return difference == 0;
  }

  private void compute(DatagramBuffer buffer, int lengthBytes) {
    try {
      mac.update(buffer.toSend(lengthBytes));
      mac.doFinal(computed, 0);
    } catch (ShortBufferException e) {
      throw new IllegalStateException("internal error: tag of another length", e);
    }
  }
}
