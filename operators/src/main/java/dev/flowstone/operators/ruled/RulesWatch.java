// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import java.io.IOException;
import java.io.Serializable;
import java.util.Optional;

/** Where new rules come from while a job runs. Looked at in one place, the job's coordinator. */
public interface RulesWatch extends Serializable {
  Looking begin() throws IOException;

  /** Belongs to one thread. */
  interface Looking extends AutoCloseable {
    /**
     * What is written there now, if it is not what was returned last.
     *
     * @throws IOException if it cannot be read; it is looked at again
     */
    Optional<WrittenRules> look() throws IOException;

    @Override
    void close();
  }

  /**
   * Rules that somebody wrote, good or bad.
   *
   * @param place what to call it where something is wrong
   */
  record WrittenRules(String place, String text) {}
}
