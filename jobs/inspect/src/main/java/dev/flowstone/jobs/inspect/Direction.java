// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

/** Which packets of a conversation are a flow. */
enum Direction {
  /** Those that were sent as the canonical tuple says. */
  FORWARD,
  BACKWARD,
  BOTH;

  boolean includes(boolean isForward) {
    return this == BOTH || isForward == (this == FORWARD);
  }
}
