// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import dev.flowstone.rules.RuleSet;
import java.io.IOException;
import java.io.Serializable;
import java.util.Optional;

/**
 * What must be there before rules that come while a job runs may count, such as topics: good rules
 * wait until it is. Asked in one place, the job's coordinator.
 */
public interface RulesNeeds extends Serializable {
  Asking begin();

  /** Belongs to one thread; begun again for every spell of waiting. */
  interface Asking extends AutoCloseable {
    /**
     * What is missing for these rules, which of them wants it, and the remedy; empty: nothing is.
     *
     * @throws IOException if that cannot be known now, with place and reason; it is asked again
     */
    Optional<String> missing(RuleSet rules) throws IOException, InterruptedException;

    @Override
    void close();
  }
}
