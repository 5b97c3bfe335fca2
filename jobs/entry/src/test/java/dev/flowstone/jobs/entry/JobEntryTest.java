// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

class JobEntryTest {

  @Command(name = "idle", mixinStandardHelpOptions = true)
  private static final class IdleJob implements CommandLineJob {
    @Option(names = "--rings", required = true)
    private String rings = "";

    @Override
    public String name() {
      return "idle at " + rings;
    }

    @Override
    public void check(JobStart start) {
      throw new AssertionError("not to be checked");
    }

    @Override
    public void build(StreamExecutionEnvironment environment) {
      throw new AssertionError("not to be built");
    }
  }

  @Test
  void shouldSayInOneLineWhichJavaIsNeeded() {
    assertThatThrownBy(() -> NeededJava.require(Runtime.Version.parse("17.0.15+6")))
        .isInstanceOf(TooOldJavaException.class)
        .hasMessageContaining("needs Java 25 or newer and runs on Java 17")
        .satisfies(e -> assertThat(e.getStackTrace()).isEmpty())
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n"));
    assertThatCode(() -> NeededJava.require(Runtime.Version.parse("25.0.3")))
        .doesNotThrowAnyException();
  }

  @Test
  void shouldTellWhoSubmitsWhatIsWrongWithAnOption() {
    assertThatThrownBy(() -> JobEntry.run(new IdleJob(), "--ringz", "x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--help lists the options");
  }

  @Test
  void shouldRunNothingWhenHelpWasAskedFor() {
    assertThatCode(() -> JobEntry.run(new IdleJob(), "--help")).doesNotThrowAnyException();
  }
}
