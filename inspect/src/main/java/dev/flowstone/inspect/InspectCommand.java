// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.inspect.report.Inspection;
import dev.flowstone.inspect.report.JsonReport;
import dev.flowstone.inspect.report.TextReport;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./flowstone inspect}. */
@Command(
    name = "inspect",
    mixinStandardHelpOptions = true,
    description =
        "Counts what is in captures: packets, classes, flows, gaps between packets, and SYNs.",
    footer =
        "Exit status 1 if a capture has no answer: it cannot be read, or has more flows than there"
            + " is memory for; the limits follow -Xmx in inspect/jvm.options.")
public final class InspectCommand implements Callable<Integer> {
  private static final int FAILED = 1;

  @Parameters(
      paramLabel = "CAPTURE",
      arity = "1..*",
      description = "Capture files: pcap, pcapng or ERF. Lengths exclude the frame check sequence.")
  private List<String> files;

  @Option(
      names = "--json",
      description =
          "One line of JSON per file instead of a report; a file without an answer has one with its error.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    Function<Inspection, String> format = json ? new JsonReport()::line : new TextReport()::text;
    boolean[] failed = {false};
    try (InspectRun run = InspectRun.start(files.size())) {
      run.inspect(
          files,
          inspection -> {
            boolean isFailure = inspection instanceof Inspection.Failure;
            String words = format.apply(inspection);
            if (isFailure && !json) {
              System.err.println("flowstone: " + words);
            } else {
              out.println(words);
            }
            failed[0] |= isFailure;
          });
    }
    return failed[0] ? FAILED : 0;
  }

  public static void main(String[] arguments) {
    System.exit(CommandRunner.run(new InspectCommand(), arguments));
  }
}
