// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.jobs.entry.JobEntry;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.function.Sample;
import dev.flowstone.rules.function.Sample.By;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class SamplingJobTest {
  @TempDir private Path folder;

  private static SamplingOptions options(String... arguments) {
    SamplingOptions options = new SamplingOptions();
    String[] all =
        Stream.concat(Stream.of("--rings", "rings", "--bounded"), Arrays.stream(arguments))
            .toArray(String[]::new);
    new CommandLine(options).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(all);
    return options;
  }

  private Path rules(String text) throws Exception {
    return Files.writeString(folder.resolve("rules.yaml"), text);
  }

  @Test
  void shouldSampleEveryPacketAsTheOptionsSay() throws Exception {
    Path key = Files.write(folder.resolve("campus.key"), new byte[32]);
    SamplingOptions options =
        options(
            "--one-in",
            "10",
            "--by",
            "random",
            "--seed",
            "-5",
            "--keep-syn-fin-rst",
            "--anonymise",
            "campus",
            "--anonymise-key",
            "campus=" + key);
    assertThat(options.liveRules().begin().rules())
        .containsExactly(
            RuleSet.defaultRule(
                new Sample(10, By.RANDOM, -5, true, Optional.of("campus")),
                Optional.empty(),
                Optional.empty()));
  }

  @Test
  void shouldBuildOneChain() {
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
    environment.enableCheckpointing(1_000);
    SamplingJob.build(environment, options("--one-in", "10"));
    StreamGraph graph = environment.getStreamGraph();
    assertThat(graph.getJobGraph().getNumberOfVertices()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "'', say what to sample: --one-in N, 'such as --one-in 100, or --rules FILE'",
    "--one-in 0, --one-in must be 1 to 1000000000: 0, ''",
    "--one-in 2 --seed 4, --seed is for --by random, ''",
    "--one-in 2 --rules x, --rules says how to sample, ''",
    "--one-in 2 --questdb http://h:9000 --stages-interval 0s, --questdb gets what the stages count, ''",
    "--rules none.yaml, none.yaml: no such file, ''",
    "--one-in 2 --anonymise campus, no key campus, --anonymise-key campus=FILE",
    "--one-in 2 --anonymise-key campus=none, key campus: cannot read none, ''"
  })
  void shouldSayWhatIsWrong(String arguments, String expected, String more) {
    String[] all =
        Stream.of(("--rings x --bounded " + arguments).strip().split(" ")).toArray(String[]::new);
    assertThatThrownBy(() -> JobEntry.run(new SamplingCommand(), all))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(expected)
        .hasMessageContaining(more);
  }

  @Test
  void shouldTakeRulesAboutPacketsAndNoOthers() throws Exception {
    Path good =
        rules("rules: [{name: a, function: {sample: {one_in: 3}}}]\ndefault: {function: drop}");
    assertThat(options("--rules", good.toString()).liveRules().begin().size()).isEqualTo(2);
    Path bad = rules("rules: [{name: a, function: histogram}]\ndefault: {function: drop}");
    assertThatThrownBy(() -> options("--rules", bad.toString()).liveRules())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(bad + ": rule a: this job knows sample, pass and drop, not histogram");
  }
}
