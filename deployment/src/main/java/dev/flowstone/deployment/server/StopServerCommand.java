// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.server;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** {@code ./flowstone broker stop} and {@code questdb stop}. */
@Command(
    name = "stop",
    mixinStandardHelpOptions = true,
    description = "Stops the server and returns when it has ended. Its data stays.")
final class StopServerCommand implements Callable<Integer> {
  @ParentCommand private ServerCommand command;

  @Override
  public Integer call() throws Exception {
    LocalServer local = command.local();
    System.out.println(
        local.stop() ? local.server() + " has stopped" : "no " + local.server() + " is running");
    return 0;
  }
}
