// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.run;

import dev.flowstone.offheap.ring.RingSetWriter;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.Option;

/** Whether a tap begins before somebody reads. */
public final class ReaderWait {
  private static final long POLL_MS = 20;

  @Option(
      names = "--wait-for-reader",
      description = "Sends nothing before every ring has a reader that holds space.")
  private boolean isWanted;

  /** Returns when they are there, or are not waited for any more. */
  public void await(RingSetWriter rings, BooleanSupplier isStopping) {
    while (isWanted && !isStopping.getAsBoolean() && !rings.allHaveGatingReader()) {
      try {
        Thread.sleep(POLL_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
