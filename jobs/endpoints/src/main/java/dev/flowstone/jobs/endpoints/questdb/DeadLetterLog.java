// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says why the first result of each kind is left out; the rest are only counted. Any thread. */
final class DeadLetterLog {
  private static final Logger LOG = LoggerFactory.getLogger(DeadLetterLog.class);

  /** Of more kinds only the counter tells. */
  private static final int MOST_KINDS = 100;

  private static final int MOST_SAID = 1_000;

  private final Set<String> told = new HashSet<>();

  synchronized void tell(String kind, String reason) {
    if (told.size() < MOST_KINDS && told.add(kind)) {
      LOG.error(
          "A result of kind {} is not for QuestDB: {} (all such are counted as"
              + " resultsDeadLettered; no more is said of this kind)",
          kind,
          reason.length() > MOST_SAID ? reason.substring(0, MOST_SAID) + "..." : reason);
    }
  }
}
