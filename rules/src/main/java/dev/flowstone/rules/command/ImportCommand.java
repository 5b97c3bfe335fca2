// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.command;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.commandline.EscapedText;
import dev.flowstone.commandline.RateConverter;
import dev.flowstone.rules.Problem;
import dev.flowstone.rules.RulesFileException;
import dev.flowstone.rules.TextFile;
import dev.flowstone.rules.fastcapa.FastcapaImport;
import dev.flowstone.rules.yaml.RulesYaml;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./flowstone rules import}: a rules file made of fastcapa-ng's configuration. */
@Command(
    name = "import",
    mixinStandardHelpOptions = true,
    description = {
      "Writes a fastcapa-ng configuration as a rules file to standard output.",
      "What has no meaning here is named at its top."
    },
    footer = {"", "  ./flowstone rules import flows.conf --tsc-hz 2.4G >rules.yaml"})
final class ImportCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = "A configuration of fastcapa-ng.")
  private Path file;

  @Option(
      names = "--tsc-hz",
      paramLabel = "HZ",
      converter = RateConverter.class,
      description = "Ticks a second of the processor that report_interval_tsc was written for.")
  @Allowed(from = "1000000", to = "100000000000", unit = "ticks a second")
  private Optional<Double> tscHz = Optional.empty();

  @Override
  public Integer call() throws IOException {
    try {
      OptionalDouble hz = tscHz.map(OptionalDouble::of).orElse(OptionalDouble.empty());
      FastcapaImport imported =
          FastcapaImport.read(
              TextFile.decode(TextFile.read(file), file.toString()), file.toString(), hz);
      printLeftOut(imported.leftOut());
      System.out.print(RulesYaml.write(imported.rules()));
      System.err.printf(
          "rules: %d, settings left out: %d%s%n",
          imported.rules().size() - 1,
          imported.leftOut().size(),
          imported.leftOut().isEmpty() ? "" : " (the first lines name them)");
      return 0;
    } catch (RulesFileException e) {
      return Refusal.print(e);
    }
  }

  private void printLeftOut(List<Problem> leftOut) {
    if (!leftOut.isEmpty()) {
      System.out.printf("# Left out, by line and column of %s:%n", EscapedText.of(file.toString()));
    }
    leftOut.forEach(each -> System.out.println("#   " + EscapedText.of(each.toString())));
  }
}
