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

/** {@code ./flowstone broker}. */
@Command(
    name = "broker",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "start|stop|status|topics",
    description =
        "A Kafka broker on this machine, for users without one, and the topics of any broker. Only"
            + " localhost can reach the broker. It keeps all messages, also after a stop.",
    subcommands = {
      BrokerCommand.Start.class,
      StopServerCommand.class,
      ServerStatusCommand.class,
      TopicsCommand.class
    })
public final class BrokerCommand implements ServerCommand, Runnable {
  static final int STANDARD_PORT = 9092;

  private final Supplier<StateFolder> state;

  @Spec private CommandSpec command;

  public BrokerCommand() {
    this(StateFolder::find);
  }

  BrokerCommand(Supplier<StateFolder> state) {
    this.state = state;
  }

  @Override
  public LocalServer local() {
    return LocalServer.in(state.get(), Server.BROKER);
  }

  @Override
  public void run() {
    throw new ParameterException(
        command.commandLine(), "a subcommand is required: start, stop, status or topics");
  }

  public static void main(String[] arguments) {
    System.exit(CommandRunner.run(new BrokerCommand(), arguments));
  }

  /** {@code ./flowstone broker start}. */
  @Command(
      name = "start",
      mixinStandardHelpOptions = true,
      description = "Starts the broker, unless it is running, and returns when it answers.")
  static final class Start implements Callable<Integer> {
    @ParentCommand private BrokerCommand broker;

    @Option(
        names = "--port",
        paramLabel = "PORT",
        description =
            "Port for clients on localhost; 0: any free one. Default " + STANDARD_PORT + ".")
    @Allowed(from = "0", to = "" + LocalPort.MOST)
    private Optional<Integer> port = Optional.empty();

    @Override
    public Integer call() throws Exception {
      return broker.start(List.of(new PortOption("--port", port, STANDARD_PORT)));
    }
  }
}
