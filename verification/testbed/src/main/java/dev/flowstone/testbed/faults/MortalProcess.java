// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.faults;

import dev.flowstone.processes.ChildProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A process that may die or be stopped at any moment, and come back where it was. One thread. */
public interface MortalProcess {
  ProcessHandle handle();

  /** Starts it again after it has ended. */
  void startAgain() throws Exception;

  /** Sends SIGKILL; returns when it is gone. */
  default void kill() throws Exception {
    handle().destroyForcibly();
    handle().onExit().get(ChildProcess.KILL_LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  /** Sends SIGSTOP, and SIGCONT so much later. */
  default void freeze(Duration time) throws IOException, InterruptedException {
    signal("STOP");
    try {
      Thread.sleep(time);
    } finally {
      signal("CONT");
    }
  }

  private void signal(String name) throws IOException, InterruptedException {
    int status =
        new ProcessBuilder("kill", "-" + name, "" + handle().pid()).inheritIO().start().waitFor();
    if (status != 0) {
      throw new IOException("SIG" + name + " to process " + handle().pid() + ": status " + status);
    }
  }
}
