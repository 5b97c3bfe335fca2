// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static dev.flowstone.benchmarks.MeasuredLine.number;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flowstone.tap.card.Emulator;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The quick form of benchmarks: each starts, measures what it announces, and prints its line. */
class BenchmarkSmokeTest {
  private static final BenchScale QUICK =
      BenchScale.SMOKE.in(BenchScale.Form.QUICK).withMixes(List.of(Mix.BACKBONE));

  /** One minute, less what prepares the measurements: filling rings, starting jobs and a broker. */
  private static final Duration MAX_MEASURED = Duration.ofSeconds(20);

  static List<Benchmark> benchmarks() {
    return BenchCommand.BENCHMARKS;
  }

  static Stream<Benchmark> othersThanByDefault() {
    List<String> byDefault = List.of("parse", "classify", "card", "kafka");
    return benchmarks().stream().filter(each -> !byDefault.contains(each.name()));
  }

  @ParameterizedTest
  @MethodSource("benchmarks")
  void shouldLeaveTimeToPrepareWithinAMinute(Benchmark benchmark) {
    Steps steps = benchmark.steps(BenchScale.QUICK);

    assertThat(steps.count()).as("figure and baseline").isEqualTo(2);
    assertThat(steps.length()).isPositive().isLessThanOrEqualTo(MAX_MEASURED);
  }

  @Test
  void shouldParseAllPackets() throws Exception {
    BenchScale shortWindows = QUICK.withWindows(Duration.ofMillis(10), 2);
    JsonNode line = MeasuredLine.of(named("parse"), shortWindows);

    assertThat(line.get("packets").asLong()).isEqualTo(QUICK.packets());
    assertThat(line.get("mix").asText()).isEqualTo("backbone");
    assertThat(line.has("other_mix")).isFalse();
  }

  @Test
  void shouldFindTheRuleOfEveryPacket() throws Exception {
    JsonNode line = MeasuredLine.of(named("classify"), QUICK);

    assertThat(line.get("packets").asLong()).isEqualTo(QUICK.packets());
    assertThat(line.get("flows").asLong()).isBetween(1L, QUICK.packets());
    assertThat(number(line, "/percent_of_packets/pass")).as("of the default").isLessThan(100);
    assertThat(sum(line.get("percent_of_packets"))).isCloseTo(100, within(0.1));
  }

  /** Requires the emulated card, which {@code ./flowstone test} builds. */
  @Test
  void shouldLoseNoRecordOfACard() throws Exception {
    assumeTrue(
        new Emulator(Emulator.usualPrograms(), Path.of("")).isThere(),
        "SKIPPED: no emulated card at " + Emulator.usualPrograms() + " (make -C hw emulator)");
    JsonNode line = MeasuredLine.of(named("card"), QUICK);

    assertThat(line.get("lost_packets").asLong()).isZero();
    assertThat(number(line, "/records_per_sync")).isGreaterThanOrEqualTo(1);
  }

  @Test
  void shouldReadBackWhatKafkaGot() throws Exception {
    // The job takes both cores while it is measured.
    JsonNode line = MeasuredLine.of(named("kafka"), QUICK.withWindows(1));

    double bytesPerPacket = number(line, "/bytes_per_packet");
    double packetsPerMessage = number(line, "/bytes_per_message") / bytesPerPacket;
    double bytesOfSinglePacket = number(line, "/one_packet_per_message/bytes_per_packet");
    assertThat(packetsPerMessage).isGreaterThan(1);
    assertThat(bytesOfSinglePacket).as("40 bytes for IPv4, 64 for others").isBetween(40.0, 64.0);
    assertThat(bytesPerPacket).isLessThan(bytesOfSinglePacket);
    assertThat(number(line, "/packets_recounted")).isGreaterThan(packetsPerMessage);
  }

  @ParameterizedTest
  @MethodSource("othersThanByDefault")
  @Tag("slow")
  void shouldMeasureTheFigureAndOneBaseline(Benchmark benchmark) throws Exception {
    JsonNode line = MeasuredLine.of(benchmark, QUICK);

    assertThat(line.has("mix")).isEqualTo(benchmark.hasMixes());
  }

  private static Benchmark named(String name) {
    return benchmarks().stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
  }

  private static double sum(JsonNode numbers) {
    return StreamSupport.stream(numbers.spliterator(), false).mapToDouble(JsonNode::asDouble).sum();
  }
}
