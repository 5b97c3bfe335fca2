// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import java.io.IOException;
import java.io.Serializable;
import java.util.List;

/** Where new rules come from while a job runs. Looked at in one place, the job's coordinator. */
public interface RulesWatch extends Serializable {
  Looking begin();

  /** Belongs to one thread. */
  interface Looking extends AutoCloseable {
    /**
     * What was written there since the last look, the newest last.
     *
     * @throws IOException if it cannot be read, with place and reason; it is looked at again
     */
    List<WrittenRules> look() throws IOException;

    @Override
    void close();
  }

  /**
   * What somebody wrote, rules or anything else.
   *
   * @param place what to call it where something is wrong
   * @param bytes of more than rules can be at least the first, one more than can be
   */
  @SuppressWarnings("ArrayRecordComponent") // Nobody compares them.
  record WrittenRules(String place, byte[] bytes) {}
}
