// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

/**
 * A message is not a valid packet batch. Says where in the message and why; the message can only be
 * skipped.
 */
public final class PacketBatchException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String place;
  private final String reason;

  public PacketBatchException(String place, String reason) {
    super("packet batch refused at " + place + ": " + reason);
    this.place = place;
    this.reason = reason;
  }

  /** The part of the message that is wrong, such as "header.checksum" or "column direction". */
  public String place() {
    return place;
  }

  /** What is wrong with it, with the values found. */
  public String reason() {
    return reason;
  }
}
