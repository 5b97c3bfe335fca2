// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.commandline.CommandRunner;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchCommandTest {
  /** A core is busy for the whole of a window. */
  private static final BenchScale FULL = BenchScale.SMOKE.withWindows(Duration.ofMillis(10), 2);

  private static final BenchScale QUICK = FULL.in(BenchScale.Form.QUICK);

  private final PrintStream usualOutput = System.out;
  private final PrintStream usualError = System.err;
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();
  private final ByteArrayOutputStream error = new ByteArrayOutputStream();

  @BeforeEach
  void capture() {
    System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(error, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void restore() {
    System.setOut(usualOutput);
    System.setErr(usualError);
  }

  private static int run(String... arguments) {
    return CommandRunner.run(new BenchCommand(FULL, QUICK), arguments);
  }

  private String written(ByteArrayOutputStream stream) {
    return stream.toString(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          kafak                   | NAME must be parse, classify, ring, card, source, kafka, wire, alloc, sampling, histogram, syn, platform, state, sql, list or all: kafak
          parse --mix both-mixes  | --mix must be backbone, resampled or both: both-mixes
          ring --mix both         | --mix requires a benchmark with mixes (parse, classify, source, kafka, wire, alloc, sampling, platform, sql), got ring
          parse --windows 0       | --windows must be 1 to 1000 windows: 0
          parse --windows many    | --windows must be 1 to 1000 windows: many
          list --mix none         | --mix must be backbone, resampled or both: none
          """)
  void shouldNameTheValidValues(String arguments, String message) {
    assertThat(run(arguments.split(" ", -1))).isEqualTo(2);

    assertThat(written(error))
        .isEqualTo("flowstone: " + message + "; see ./flowstone bench --help\n");
    assertThat(written(output)).isEmpty();
  }

  @Test
  void shouldPrintOneLineOnStandardOutputAndProgressOnStandardError() throws Exception {
    assertThat(run("parse", "--quick", "--mix", "resampled", "--windows", "4")).isZero();

    assertThat(written(output)).hasLineCount(1);
    JsonNode line = new ObjectMapper().readTree(written(output));
    assertThat(line.get("form").asText()).isEqualTo("quick");
    assertThat(line.get("mix").asText()).startsWith("resampled");
    assertThat(line.get("runs")).hasSize(4);
    assertThat(written(error))
        .contains("bench parse: step 1 of 2: ")
        .contains("bench parse: step 2 of 2: ")
        .contains("bench parse: ended after ")
        .doesNotContain("\r");
  }

  @Test
  void shouldMeasureBothMixesInFull() throws Exception {
    assertThat(run("parse")).isZero();

    JsonNode line = new ObjectMapper().readTree(written(output));
    assertThat(line.get("form").asText()).isEqualTo("full");
    assertThat(line.has("other_mix")).isTrue();
    assertThat(written(error)).contains("step 4 of 4");
  }

  @Test
  void shouldListAllBenchmarks() {
    assertThat(run("list")).isZero();

    assertThat(written(output)).hasLineCount(BenchCommand.BENCHMARKS.size());
  }
}
