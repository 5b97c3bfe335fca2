// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.datagram;

import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A key that sender and receiver share. No message contains it. Thread-safe. */
public final class DatagramKey {
  public static final int MIN_BYTES = 16;
  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;

  private DatagramKey(SecretKeySpec key) {
    this.key = key;
  }

  /** Returns a key of {@link #MIN_BYTES} or more bytes. */
  public static DatagramKey of(byte[] bytes) {
    if (bytes.length < MIN_BYTES) {
      throw new IllegalArgumentException(
          "expected a key of at least %d bytes, got %d; openssl rand -hex 32 prints one"
              .formatted(MIN_BYTES, bytes.length));
    }
    return new DatagramKey(new SecretKeySpec(bytes, ALGORITHM));
  }

  /** Returns a HMAC-SHA-256 for one thread. */
  Mac mac() {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("internal error: no " + ALGORITHM, e);
    }
  }
}
