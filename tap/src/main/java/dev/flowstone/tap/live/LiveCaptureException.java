// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

/** An interface cannot be listened to; the message says why and what to do. */
public final class LiveCaptureException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public LiveCaptureException(String message) {
    super(message);
  }

  public LiveCaptureException(String message, Throwable cause) {
    super(message, cause);
  }
}
