// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

/** QuestDB answers, but cannot write to this table now: others may be written to meanwhile. */
final class TableAwayException extends StoreAwayException {
  private static final long serialVersionUID = 1L;

  TableAwayException(String message) {
    super(message);
  }
}
