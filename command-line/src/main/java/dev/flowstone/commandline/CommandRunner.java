// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import dev.flowstone.offheap.Reason;
import picocli.CommandLine;

/** Runs a command so that every failure is one line that says what to do, and an exit status. */
public final class CommandRunner {
  private static final int WRONG_USE = 2;
  private static final int FAILED = 1;

  private CommandRunner() {}

  /** The exit status: 0, 1 for a failure, 2 for wrong use. */
  public static int run(Object command, String... arguments) {
    try {
      CommandLine line = new CommandLine(command);
      return line.setCommandName("./flowstone " + line.getCommandName())
          .setCaseInsensitiveEnumValuesAllowed(true)
          .setParameterExceptionHandler(CommandRunner::wrongUse)
          .setExecutionExceptionHandler((e, failing, parsed) -> failed(e))
          .execute(arguments);
    } catch (LinkageError | OutOfMemoryError e) {
      return failed(e);
    }
  }

  private static int wrongUse(CommandLine.ParameterException e, String[] arguments) {
    String name = e.getCommandLine().getCommandSpec().qualifiedName();
    System.err.println("flowstone: " + Reason.of(e) + "; see " + name + " --help");
    return WRONG_USE;
  }

  private static int failed(Throwable e) {
    boolean wrongUse = e instanceof IllegalArgumentException;
    System.err.println("flowstone: " + Reason.of(e));
    if (System.getenv("FLOWSTONE_TRACE") != null) {
      e.printStackTrace();
    }
    return wrongUse ? WRONG_USE : FAILED;
  }
}
