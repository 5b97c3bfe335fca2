// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

/** A capture file cannot be replayed; one line says which, where, what was found and accepted. */
public final class CaptureException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public CaptureException(String message) {
    super(message);
  }

  public CaptureException(String message, Throwable cause) {
    super(message, cause);
  }
}
