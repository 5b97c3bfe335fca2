// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

/** QuestDB does not want what it was sent, however often it is sent. */
final class RefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  /** It did not say which. */
  static final int NO_LINE = -1;

  private final int line;

  /**
   * A refusal.
   *
   * @param line of the request, from 0, or {@link #NO_LINE}
   */
  RefusedException(String reason, int line) {
    super(reason);
    this.line = line;
  }

  int line() {
    return line;
  }
}
