// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.server;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.deployment.LocalPort;
import dev.flowstone.deployment.StateFolder;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code ./flowstone questdb}. */
@Command(
    name = "questdb",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "start|stop|status",
    description =
        "A QuestDB on this machine, for users without one. Only localhost can reach it, without a"
            + " password. It keeps its tables, also after a stop.",
    subcommands = {QuestDbCommand.Start.class, StopServerCommand.class, ServerStatusCommand.class})
public final class QuestDbCommand implements ServerCommand, Runnable {
  private static final int STANDARD_PORT = 9000;
  private static final int STANDARD_SQL_PORT = 8812;

  private final Supplier<StateFolder> state;

  @Spec private CommandSpec command;

  public QuestDbCommand() {
    this(StateFolder::find);
  }

  QuestDbCommand(Supplier<StateFolder> state) {
    this.state = state;
  }

  @Override
  public LocalServer local() {
    return LocalServer.in(state.get(), Server.QUESTDB);
  }

  @Override
  public void run() {
    throw new ParameterException(
        command.commandLine(), "a subcommand is required: start, stop or status");
  }

  public static void main(String[] arguments) {
    System.exit(CommandRunner.run(new QuestDbCommand(), arguments));
  }

  /** {@code ./flowstone questdb start}. */
  @Command(
      name = "start",
      mixinStandardHelpOptions = true,
      description = "Starts QuestDB, unless it is running, and returns when it answers.")
  static final class Start implements Callable<Integer> {
    @ParentCommand private QuestDbCommand questDb;

    @Option(
        names = "--port",
        paramLabel = "PORT",
        description =
            "Port for HTTP on localhost (--questdb of jobs); 0: any free one. Default "
                + STANDARD_PORT
                + ".")
    @Allowed(from = "0", to = "" + LocalPort.MOST)
    private Optional<Integer> port = Optional.empty();

    @Option(
        names = "--sql-port",
        paramLabel = "PORT",
        description =
            "Port for PostgreSQL's protocol on localhost (--questdb-sql of sql); 0: any free one."
                + " Default "
                + STANDARD_SQL_PORT
                + ".")
    @Allowed(from = "0", to = "" + LocalPort.MOST)
    private Optional<Integer> sqlPort = Optional.empty();

    @Override
    public Integer call() throws Exception {
      return questDb.start(
          List.of(
              new PortOption("--port", port, STANDARD_PORT),
              new PortOption("--sql-port", sqlPort, STANDARD_SQL_PORT)));
    }
  }
}
