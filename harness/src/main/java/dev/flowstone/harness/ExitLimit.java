// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import java.time.Duration;

/**
 * How long this JVM may take to exit. Flink's shutdown hooks wait for locks, and a thread that had
 * such a lock when it met an OutOfMemoryError keeps it for ever.
 */
public final class ExitLimit {
  private ExitLimit() {}

  /**
   * From now on.
   *
   * @param status what the process ends with that was too late
   */
  public static void set(Duration limit, int status) {
    // Made beforehand: there may be no memory for it later.
    Thread end =
        Thread.ofPlatform().daemon().name("exit-limit").unstarted(() -> halt(limit, status));
    Runtime.getRuntime().addShutdownHook(new Thread(end::start, "exit-limit-hook"));
  }

  private static void halt(Duration limit, int status) {
    try {
      Thread.sleep(limit);
    } catch (InterruptedException e) {
      // Whoever wants this JVM to live on is too late as well.
    }
    Runtime.getRuntime().halt(status);
  }
}
