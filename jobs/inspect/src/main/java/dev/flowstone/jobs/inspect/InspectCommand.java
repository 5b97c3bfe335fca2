// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.jobs.inspect.report.Inspection;
import dev.flowstone.jobs.inspect.report.JsonReport;
import dev.flowstone.jobs.inspect.report.TextReport;
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
        "What is in captures: tap, ring files and a Flink job in this process count every packet.",
    footer =
        "Exit status 1 if a capture has no answer: it cannot be read, or has more flows than there"
            + " is memory for; the limits follow -Xmx in jobs/inspect/jvm.options.")
public final class InspectCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "CAPTURE",
      arity = "1..*",
      description = "Capture files: pcap, pcapng or ERF.")
  private List<String> files;

  @Option(names = "--json", description = "One line of JSON per file instead of a report.")
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
            out.println(format.apply(inspection));
            failed[0] |= inspection instanceof Inspection.Failure;
          });
    }
    return failed[0] ? 1 : 0;
  }

  public static void main(String[] arguments) {
    System.exit(CommandRunner.run(new InspectCommand(), arguments));
  }
}
