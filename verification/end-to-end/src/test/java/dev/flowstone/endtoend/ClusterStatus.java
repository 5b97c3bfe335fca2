// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import java.util.List;
import java.util.regex.Pattern;

/** What {@code ./flowstone cluster status} said. */
record ClusterStatus(String said) {
  private static final Pattern PROCESS = Pattern.compile("(\\S+) pid (\\d+)");

  static ClusterStatus of(DeploymentCommands commands) throws Exception {
    return new ClusterStatus(commands.cluster("status"));
  }

  List<ProcessHandle> processes() {
    return PROCESS
        .matcher(said)
        .results()
        .flatMap(found -> ProcessHandle.of(Long.parseLong(found.group(2))).stream())
        .toList();
  }

  /** SIGKILL; returns when it is gone. */
  void kill(String name) {
    ProcessHandle process =
        PROCESS
            .matcher(said)
            .results()
            .filter(found -> found.group(1).equals(name))
            .flatMap(found -> ProcessHandle.of(Long.parseLong(found.group(2))).stream())
            .findFirst()
            .orElseThrow(() -> new AssertionError(name + " does not run: " + said));
    process.destroyForcibly();
    process.onExit().join();
  }
}
