// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.count;

import dev.flowstone.offheap.Reason;

/** A capture cannot be answered for. */
public final class InspectException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public InspectException(String message) {
    super(message);
  }

  public InspectException(String message, Throwable cause) {
    super(message, cause);
  }

  public static InspectException outOfMemory(OutOfMemoryError cause) {
    return new InspectException(
        "out of memory (" + Reason.of(cause) + ") on this capture: " + InspectLimits.REMEDY, cause);
  }
}
