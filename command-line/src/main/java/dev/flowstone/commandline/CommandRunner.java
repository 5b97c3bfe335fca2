// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import dev.flowstone.offheap.Reason;
import java.util.List;
import picocli.CommandLine;

/** Runs a command so that every failure is one line that says what to do, and an exit status. */
public final class CommandRunner {
  private static final int WRONG_USE = 2;
  private static final int FAILED = 1;

  /** What Java says where it touches mapped memory that no file stands behind any more. */
  private static final String LOST_MEMORY = "a fault occurred in an unsafe memory access operation";

  private CommandRunner() {}

  /** The exit status: 0, 1 for a failure, 2 for wrong use. */
  public static int run(Object command, String... arguments) {
    try {
      CommandLine line = new CommandLine(command);
      tellVersion(line);
      int status =
          line.setCommandName("./flowstone " + line.getCommandName())
              .setCaseInsensitiveEnumValuesAllowed(true)
              .setParameterExceptionHandler(CommandRunner::wrongUse)
              .setExecutionStrategy(CommandRunner::runAllowed)
              .setExecutionExceptionHandler((e, failing, parsed) -> failed(e))
              .execute(arguments);
      return status == 0 && System.out.checkError() ? outputFailed() : status;
    } catch (LinkageError | InternalError | OutOfMemoryError e) {
      return failed(e);
    }
  }

  /**
   * Reads options that stand within the value of another one.
   *
   * @param name of that other one
   * @throws IllegalArgumentException which says what is wrong with them
   */
  public static void read(Object options, String name, List<String> arguments) {
    try {
      AllowedValues.require(new CommandLine(options).parseArgs(arguments.toArray(String[]::new)));
    } catch (CommandLine.ParameterException e) {
      throw new IllegalArgumentException(name + ": " + misuse(e), e);
    }
  }

  private static void tellVersion(CommandLine line) {
    line.getCommandSpec().versionProvider(new Version());
    line.getSubcommands().values().forEach(CommandRunner::tellVersion);
  }

  /**
   * Standard output swallows its errors; who waits for what it says must not be told all is well.
   */
  private static int outputFailed() {
    System.err.println(
        "flowstone: standard output cannot be written: the disk is full, or its reader has gone");
    return FAILED;
  }

  private static int runAllowed(CommandLine.ParseResult parsed) {
    AllowedValues.require(parsed);
    return new CommandLine.RunLast().execute(parsed);
  }

  private static int wrongUse(CommandLine.ParameterException e, String[] arguments) {
    String name = e.getCommandLine().getCommandSpec().qualifiedName();
    System.err.println("flowstone: " + EscapedText.of(misuse(e)) + "; see " + name + " --help");
    return WRONG_USE;
  }

  private static String misuse(CommandLine.ParameterException e) {
    if (e instanceof CommandLine.UnmatchedArgumentException unmatched) {
      return UnknownArgument.refusal(unmatched);
    }
    return e.getArgSpec() == null || e.getValue() == null
        ? Reason.of(e)
        : AllowedValues.refusal(e.getArgSpec(), e.getValue()).orElseGet(() -> Reason.of(e));
  }

  /** Says it now, for a program that still has to clean up; the exit status that goes with it. */
  public static int failed(Throwable e) {
    boolean wrongUse = e instanceof IllegalArgumentException;
    System.err.println("flowstone: " + EscapedText.of(reason(e)));
    if (System.getenv("FLOWSTONE_TRACE") != null) {
      e.printStackTrace();
    }
    return wrongUse ? WRONG_USE : FAILED;
  }

  /** Ring files are all that a command maps. */
  private static String reason(Throwable e) {
    return e instanceof InternalError && LOST_MEMORY.equals(e.getMessage())
        ? "memory of a ring file is gone while it was in use: the file was cut short, or what holds"
            + " it is full, such as /dev/shm (df tells); make room there and start the tap again,"
            + " which makes its rings anew"
        : Reason.of(e);
  }
}
