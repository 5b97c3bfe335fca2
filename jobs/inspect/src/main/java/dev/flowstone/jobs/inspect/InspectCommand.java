// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.harness.ExitLimit;
import dev.flowstone.jobs.inspect.count.InspectException;
import dev.flowstone.jobs.inspect.report.Inspection;
import dev.flowstone.jobs.inspect.report.JsonReport;
import dev.flowstone.jobs.inspect.report.TextReport;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
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
  private static final int FAILED = 1;

  /** For Flink's shutdown hooks, when all else has ended. */
  private static final Duration EXIT_LIMIT = Duration.ofSeconds(10);

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
    answer(
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
    return failed[0] ? FAILED : 0;
  }

  /** Flink takes seconds to start, and is not needed to say that there is no such file. */
  private void answer(Consumer<Inspection> consumer) throws Exception {
    List<Inspection.Failure> refused =
        files.stream().flatMap(file -> Inspector.refusal(file).stream()).toList();
    if (refused.size() == files.size()) {
      refused.forEach(consumer);
      return;
    }
    try (InspectRun run = InspectRun.start(files.size())) {
      run.inspect(files, consumer);
    } catch (OutOfMemoryError e) {
      throw InspectException.outOfMemory(e);
    } catch (Exception e) {
      throw outOfMemory(e).<Exception>map(InspectException::outOfMemory).orElse(e);
    }
  }

  private static Optional<OutOfMemoryError> outOfMemory(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
        .filter(OutOfMemoryError.class::isInstance)
        .map(OutOfMemoryError.class::cast)
        .findFirst();
  }

  public static void main(String[] arguments) {
    ExitLimit.set(EXIT_LIMIT, FAILED);
    System.exit(CommandRunner.run(new InspectCommand(), arguments));
  }
}
