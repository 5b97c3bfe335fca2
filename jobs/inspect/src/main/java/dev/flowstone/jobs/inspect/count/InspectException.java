// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect.count;

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

  /** Of a Flink that hangs; nothing else is known to bring it there. */
  public static InspectException noAnswer() {
    return new InspectException(
        "Flink gives no answer any more, probably because it ran out of memory: "
            + InspectLimits.REMEDY);
  }

  public static InspectException outOfMemory(OutOfMemoryError cause) {
    return new InspectException(
        "out of memory (" + Reason.of(cause) + ") on this capture: " + InspectLimits.REMEDY, cause);
  }
}
