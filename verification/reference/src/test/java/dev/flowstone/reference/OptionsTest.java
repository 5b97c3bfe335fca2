// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

class OptionsTest {
  @Command
  static final class Required {
    @Option(names = "--rate", required = true, description = "How fast.")
    int withStop;

    @Option(names = "--name", required = true, description = "What it is called")
    String withoutStop;

    @Option(names = "--quiet", description = "Says nothing.")
    boolean optional;
  }

  @Test
  void shouldSayOnceThatAnOptionIsRequired() {
    CommandSpec command = new CommandLine(new Required()).getCommandSpec();
    assertThat(Options.table(command.options()))
        .contains("How fast. Required. |", "What it is called. Required. |", "Says nothing. |");
  }
}
