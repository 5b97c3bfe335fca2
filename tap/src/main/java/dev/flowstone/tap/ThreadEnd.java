// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap;

/** Waits for threads that use what is closed next, so to their end in any case. */
public final class ThreadEnd {
  private ThreadEnd() {}

  /**
   * Returns when it has ended, with the interrupts that came meanwhile.
   *
   * @param hurry what is done when this thread is interrupted, so that the other ends soon
   */
  public static void await(Thread thread, Runnable hurry) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
        hurry.run();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
