// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.tap.card.CardTap;
import dev.flowstone.tap.command.card.CardCommand;
import dev.flowstone.tap.command.forward.ForwardCommand;
import dev.flowstone.tap.command.forward.ReceiveCommand;
import dev.flowstone.tap.command.source.LiveCommand;
import dev.flowstone.tap.command.source.ReplayCommand;
import dev.flowstone.tap.command.source.ResampleCommand;
import dev.flowstone.tap.command.source.SyntheticCommand;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;

/** {@code ./flowstone tap}: fills ring files. */
@Command(
    name = "tap",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "replay|live|card|synthetic|resample|forward|receive",
    description =
        "Fills ring files with packet records, and carries these from one host to another.",
    subcommands = {
      ReplayCommand.class,
      LiveCommand.class,
      CardCommand.class,
      SyntheticCommand.class,
      ResampleCommand.class,
      ForwardCommand.class,
      ReceiveCommand.class
    })
public final class TapCommand {
  /** Whatever it fills rings from, and a moment to close that. */
  private static final long END_LIMIT_SECONDS = CardTap.END_LIMIT.toSeconds() + 2;

  private TapCommand() {}

  public static void main(String[] arguments) {
    CompletableFuture<Integer> status = new CompletableFuture<>();
    Thread end = new Thread(() -> endWith(status), "tap-status");
    Runtime.getRuntime().addShutdownHook(end);
    status.complete(CommandRunner.run(new TapCommand(), arguments));
    System.exit(status.join());
  }

  /** A tap that a signal stopped, and that came to its end, has the status of one that ended. */
  private static void endWith(CompletableFuture<Integer> status) {
    try {
      Runtime.getRuntime().halt(status.get(END_LIMIT_SECONDS, TimeUnit.SECONDS));
    } catch (ExecutionException | TimeoutException e) {
      // It did not end: the signal's own status tells.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
