// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

/** A card cannot be used, or not any more; the message says why and what to do. */
public final class CardException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public CardException(String message) {
    super(message);
  }

  public CardException(String message, Throwable cause) {
    super(message, cause);
  }
}
