// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.harness.FatalErrors;
import dev.flowstone.processes.ChildEndedException;
import java.io.IOException;
import java.time.Duration;

/**
 * How a demo ends: why is said first, then all is closed, and what hangs in that is cut off. Any
 * thread may end it; the first reason counts, what fails after it fails because of it.
 */
final class Ending {
  /** Tap, Flink and broker one after the other, on a busy machine. */
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

  private final EmergencyStop emergency;
  private final DemoFiles files;
  private int status;
  private boolean hasBegun;
  private boolean hasFailed;
  private Thread limit;

  Ending(EmergencyStop emergency, DemoFiles files) {
    this.emergency = emergency;
    this.files = files;
  }

  /** Says what went wrong, unless something did before; the exit status. */
  int because(Throwable failure) {
    emergency.leaveTheEndToIt();
    synchronized (this) {
      if (!hasFailed) {
        hasFailed = true;
        if (!(failure instanceof ChildEndedException ended && ended.hasSaidWhy())) {
          files.keepLogs();
        }
        with(CommandRunner.failed(explained(failure)));
      }
      return status;
    }
  }

  private static Throwable explained(Throwable failure) {
    return failure instanceof InternalError
        ? new IOException(FatalErrors.explain(failure), failure)
        : failure;
  }

  /** All has been said: it ends with that status. */
  synchronized void with(int exitStatus) {
    isOver();
    status = exitStatus;
    hasBegun = true;
    limit = Thread.ofPlatform().daemon().name("close-limit").start(() -> cutOff(exitStatus));
  }

  private void cutOff(int exitStatus) {
    try {
      Thread.sleep(CLOSE_LIMIT);
      emergency.now(
          exitStatus,
          "not all of the demo ended within " + CLOSE_LIMIT.toSeconds() + " s; it was killed");
    } catch (InterruptedException closed) {
      // In time.
    }
  }

  /** Whether what ends now is meant to. */
  synchronized boolean hasBegun() {
    return hasBegun;
  }

  /** So far it was a part that ended; what is left goes on. */
  synchronized void goOn() {
    isOver();
    hasBegun = false;
  }

  /** What was to be closed is. */
  synchronized void isOver() {
    if (limit != null) {
      limit.interrupt();
    }
  }
}
