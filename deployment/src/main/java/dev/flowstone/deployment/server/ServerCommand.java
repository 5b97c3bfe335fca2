// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.server;

import java.io.IOException;
import java.util.List;

/** A command of the launcher that starts, stops and describes one server. */
interface ServerCommand {
  LocalServer local();

  /** Starts the server, unless it is running, and prints where it is; returns the exit status. */
  default int start(List<PortOption> ports) throws IOException, InterruptedException {
    LocalServer local = local();
    boolean wasRunning = local.start(ports);
    System.out.println(local.server() + (wasRunning ? " is already running" : " is ready"));
    local.describe().forEach(System.out::println);
    return 0;
  }
}
