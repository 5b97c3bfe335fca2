// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

/** A capture cannot be answered for. */
final class InspectException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  InspectException(String message) {
    super(message);
  }

  InspectException(String message, Throwable cause) {
    super(message, cause);
  }
}
