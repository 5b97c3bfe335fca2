// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import java.io.IOException;

/** QuestDB does not answer, or not as one that can take results now: to be tried again. */
sealed class StoreAwayException extends IOException permits TableAwayException {
  private static final long serialVersionUID = 1L;

  StoreAwayException(String message) {
    super(message);
  }

  StoreAwayException(String message, Throwable cause) {
    super(message, cause);
  }
}
