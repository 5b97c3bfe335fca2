// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.histogram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.jobs.entry.JobEntry;
import dev.flowstone.rules.function.Histogram;
import dev.flowstone.rules.function.Histogram.Measure;
import dev.flowstone.rules.function.Histogram.Per;
import dev.flowstone.rules.function.PrefixLengths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HistogramJobTest {
  @TempDir private Path folder;

  private static HistogramOptions options() {
    HistogramOptions options = new HistogramOptions();
    options.rings.folders = List.of(Path.of("rings"));
    return options;
  }

  private static void run(String... more) throws Exception {
    JobEntry.run(
        new HistogramCommand(),
        Stream.concat(Stream.of("--rings", "x"), Stream.of(more)).toArray(String[]::new));
  }

  @Test
  void shouldRefuseToWriteWhatIsNeverCommitted() {
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
    assertThatThrownBy(() -> HistogramJob.build(environment, options()))
        .hasMessageContaining("execution.checkpointing.interval");
    environment.enableCheckpointing(1_000);
    HistogramJob.build(environment, options());
    assertThat(environment.getStreamGraph().getStreamNodes()).isNotEmpty();
  }

  @Test
  void shouldHaveWhatIsUsualWhereNothingIsSaid() {
    assertThat(options().liveRules().begin().rules().getFirst().function())
        .isEqualTo(Histogram.usual(Per.RULE));
    HistogramOptions perFlow = options();
    perFlow.per = Per.FLOW;
    perFlow.of = EnumSet.of(Measure.PACKET_SIZE);
    perFlow.interval = Duration.ofSeconds(1);
    Histogram made = (Histogram) perFlow.liveRules().begin().rules().getFirst().function();
    assertThat(made.digits()).isEqualTo(1);
    assertThat(made.of()).containsExactly(Measure.PACKET_SIZE);
    assertThat(made.interval()).isEqualTo(Duration.ofSeconds(1));
    HistogramOptions perPrefix = options();
    perPrefix.per = Per.SOURCE_PREFIX;
    perPrefix.ipv4Bits = 16;
    Histogram ofNetworks = (Histogram) perPrefix.liveRules().begin().rules().getFirst().function();
    assertThat(ofNetworks.prefixes()).isEqualTo(new PrefixLengths(16, 48));
  }

  @ParameterizedTest
  @CsvSource({
    "--most-flows, 0, '--most-flows must be 1 to 268435456: 0'",
    "--digits, 6, digits must be 1 to 5: 6",
    "--lowest, 6 s, highest at least twice that",
    "--interval, 100us, interval must be 1ms to 7d: 100us",
    "--per, flows, 'flows is none of [rule, flow, source_prefix, destination_prefix]'",
    "--of, size, 'size is none of [inter_arrival, packet_size]'",
    "--ipv4-bits, 16, ipv4_bits and ipv6_bits are for per: source_prefix and destination_prefix"
  })
  void shouldSayWhatIsWrongWithAnOption(String option, String value, String message) {
    assertThatThrownBy(() -> run(option, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void shouldRefuseHistogramsThatAreTooLarge() {
    assertThatThrownBy(() -> run("--per", "flow", "--digits", "2"))
        .hasMessageContaining("rule default: a histogram per flow")
        .hasMessageContaining("fewer digits");
  }

  @Test
  void shouldHaveTheRoomThatIsAskedFor() throws Exception {
    HistogramOptions options = options();
    assertThat(options.room(options.liveRules()).flowBytes()).isEqualTo(24);
    options.flows.histogramBytes = 1_000;
    assertThat(options.room(options.liveRules()).flowBytes()).isEqualTo(1_000);
    assertThatThrownBy(() -> run("--histogram-bytes", "23"))
        .hasMessageContaining("more than --histogram-bytes 23");
    Path flows = file("flows.yaml", "rules: []\ndefault: {function: {histogram: {per: flow}}}");
    assertThatThrownBy(() -> run("--rules", flows.toString(), "--histogram-bytes", "30"))
        .hasMessageContaining(flows + ": the rules at the start need");
  }

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  @Test
  void shouldTakeRulesThatAskForHistograms() throws Exception {
    Path none = file("none.yaml", "rules: []\ndefault: {function: drop}");
    assertThatThrownBy(() -> run("--rules", none.toString()))
        .hasMessageContaining(none + ": no rule has the function histogram");
    assertThatThrownBy(() -> run("--rules", none.toString(), "--per", "flow"))
        .hasMessageContaining("leave out --per");
    Path others = file("others.yaml", "rules: [{name: a, function: histogram}]");
    assertThatThrownBy(() -> run("--rules", others.toString()))
        .hasMessageContaining(others + ": rule default has the function pass")
        .hasMessageContaining("histogram and drop alone");

    Path two =
        file(
            "two.yaml",
            """
        rules:
          - name: dns
            match: {protocol: udp, destination_port: 53}
            function: {histogram: {per: destination_prefix, interval: 1s}}
        default:
          function: {histogram: {of: [packet_size]}}
        """);
    HistogramOptions options = options();
    options.rules.file = two;
    assertThat(options.liveRules().begin().size()).isEqualTo(2);
  }
}
