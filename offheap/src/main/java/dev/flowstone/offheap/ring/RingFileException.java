// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

/** A ring file cannot be used; the message names the file, what is wrong and what to do. */
public sealed class RingFileException extends RuntimeException permits LaneTakenException {
  private static final long serialVersionUID = 1L;

  public RingFileException(String message) {
    super(message);
  }

  public RingFileException(String message, Throwable cause) {
    super(message, cause);
  }
}
