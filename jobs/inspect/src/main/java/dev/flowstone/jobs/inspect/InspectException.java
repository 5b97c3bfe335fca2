// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import dev.flowstone.offheap.Reason;

/** A capture cannot be answered for. */
final class InspectException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  InspectException(String message) {
    super(message);
  }

  InspectException(String message, Throwable cause) {
    super(message, cause);
  }

  static InspectException outOfMemory(OutOfMemoryError cause) {
    return new InspectException(
        "out of memory (" + Reason.of(cause) + ") on this capture: " + InspectLimits.REMEDY, cause);
  }
}
