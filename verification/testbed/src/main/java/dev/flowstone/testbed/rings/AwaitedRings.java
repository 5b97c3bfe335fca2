// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.rings;

import dev.flowstone.connector.fpga.exchange.RingsHere;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Rings of a tap that was just started. Whether a job sends packets to other subtasks is decided by
 * those that are there when it is built, so its test waits for them.
 */
public final class AwaitedRings {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private AwaitedRings() {}

  public static void in(Path folder, int count) throws InterruptedException {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (RingsHere.in(List.of(folder.toString())).count() < count) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new AssertionError("no " + count + " rings in " + folder + " after " + LIMIT);
      }
      Thread.sleep(10);
    }
  }
}
