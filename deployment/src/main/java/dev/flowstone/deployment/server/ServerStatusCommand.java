// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.server;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** {@code ./flowstone broker status} and {@code questdb status}. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description =
        "Prints the server's addresses, process, data folder and log. Exit status 1 if the server"
            + " is not running.")
final class ServerStatusCommand implements Callable<Integer> {
  private static final int NOT_READY = 1;

  @ParentCommand private ServerCommand command;

  @Override
  public Integer call() throws Exception {
    LocalServer local = command.local();
    if (!local.supervision().isActive()) {
      System.out.println(
          "no %s is running: ./flowstone %s start"
              .formatted(local.server(), local.server().word()));
      return NOT_READY;
    }
    if (!local.isReady()) {
      System.out.println(local.server() + " is starting");
      return NOT_READY;
    }
    System.out.println(local.server() + " is running");
    local.describe().forEach(System.out::println);
    return 0;
  }
}
