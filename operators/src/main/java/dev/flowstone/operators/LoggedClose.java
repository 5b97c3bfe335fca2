// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import org.slf4j.Logger;

/**
 * Closes parts of an operator and logs their errors instead of throwing them. If closing a failed
 * task throws, Flink terminates the TaskManager with the tasks of all jobs.
 */
public final class LoggedClose {
  private LoggedClose() {}

  /**
   * Closes all of them in this order.
   *
   * @param owner as the warning names it, such as "Kafka's writer"
   * @param log of the class that owns them
   */
  public static void close(Logger log, String owner, AutoCloseable... parts) {
    for (AutoCloseable part : parts) {
      try {
        part.close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        log.warn("{} was interrupted while it was closed", owner);
      } catch (Exception e) {
        log.warn("{} failed while it was closed", owner, e);
      }
    }
  }
}
