// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

class AllowedValuesTest {
  @Command(
      name = "pour",
      subcommands = {Slowly.class})
  static final class Pour implements Runnable {
    @Option(names = "--cups")
    @Allowed(from = "1", to = "12")
    int cups;

    @Option(names = "--size", converter = ByteSizeConverter.class)
    @Allowed(from = "64k", to = "4g")
    Optional<Long> size = Optional.empty();

    @Option(names = "--rate", converter = RateConverter.class)
    @Allowed(from = "1", to = "1g", unit = "drops per second", whole = true)
    Optional<Double> rate = Optional.empty();

    @Option(names = "--rest", converter = DurationConverter.class)
    @Allowed(from = "500 ms", to = "2min")
    Optional<Duration> rest = Optional.empty();

    @Option(names = "--seconds")
    @Allowed(from = "0.5")
    Optional<Double> seconds = Optional.empty();

    @Override
    public void run() {
      System.err.print("poured");
    }
  }

  @Command(name = "slowly")
  static final class Slowly implements Runnable {
    @Option(names = {"-p", "--pause"})
    @Allowed(from = "1")
    int pause;

    @Override
    public void run() {
      System.err.print("poured slowly");
    }
  }

  private static String run(int status, String... arguments) {
    PrintStream usual = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      assertThat(CommandRunner.run(new Pour(), arguments)).isEqualTo(status);
    } finally {
      System.setErr(usual);
    }
    return said.toString(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource({
    "--cups, 0, 1 to 12",
    "--cups, 13, 1 to 12",
    "--cups, -1, 1 to 12",
    "--cups, many, 1 to 12",
    "--cups, 99999999999, 1 to 12",
    "--cups, 1.5, 'a whole number, 1 to 12'",
    "--rest, 499ms, 500 ms to 2min",
    "--rest, 121s, 500 ms to 2min",
    "--rest, 60, 500 ms to 2min",
    "--size, 63k, 64k to 4g",
    "--size, 5g, 64k to 4g",
    "--size, 1t, 64k to 4g",
    "--rate, 0, 1 to 1g drops per second",
    "--rate, 0.5, 'a whole number, 1 to 1g drops per second'",
    "--rate, 1.0001k, 'a whole number, 1 to 1g drops per second'",
    "--seconds, 0, 0.5 or more",
    "--seconds, 0.4, 0.5 or more",
    "--seconds, NaN, 0.5 or more",
  })
  void shouldRefuseAsTypedAndSayWhatIsAllowed(String option, String typed, String allowed) {
    assertThat(run(2, option, typed))
        .isEqualTo(
            "flowstone: %s must be %s: %s; see ./flowstone pour --help%n"
                .formatted(option, allowed, typed));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--cups=1",
        "--cups=12",
        "--rest=500ms",
        "--rest=2 min",
        "--size=64k",
        "--size=4g",
        "--rate=1g",
        "--rate=8.2k",
        "--seconds=0.5",
        "--seconds=1e9"
      })
  void shouldTakeWhatIsAllowedWithItsBounds(String argument) {
    assertThat(run(0, argument)).isEqualTo("poured");
  }

  @Test
  void shouldNotAskOfWhatNobodyTyped() {
    assertThat(run(0)).as("0 cups are nobody's wish").isEqualTo("poured");
  }

  @Test
  void shouldLookAtTheOptionsOfEveryCommandOnTheLine() {
    assertThat(run(2, "slowly", "-p", "0"))
        .startsWith("flowstone: --pause must be 1 or more: 0; see ./flowstone pour slowly --help");
    assertThat(run(2, "--cups", "0", "slowly")).contains("--cups must be 1 to 12: 0");
    assertThat(run(0, "slowly", "-p", "1")).isEqualTo("poured slowly");
  }

  @ParameterizedTest
  @CsvSource({
    "--cpus, unknown option --cpus (did you mean --cups?)",
    "--rte=7, unknown option --rte (did you mean --rate?)",
    "--milk, unknown option --milk",
    "slowlly, unknown command slowlly (did you mean slowly?)",
    "gone, unknown command gone",
  })
  void shouldNameWhatWasProbablyMeant(String typed, String words) {
    assertThat(run(2, typed, "1"))
        .isEqualTo(
            "flowstone: " + words + "; see ./flowstone pour --help" + System.lineSeparator());
  }

  @Test
  void shouldSayWhereNothingMoreIsExpected() {
    assertThat(run(2, "slowly", "more")).startsWith("flowstone: unexpected argument more; see");
  }
}
