// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every capture of the collection against the answers of an independent reader. */
class CaptureOracleTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TestFactory
  Stream<DynamicTest> shouldAgreeWithTheOracle() {
    return Captures.withOracle().stream()
        .map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> compare(file)));
  }

  private static void compare(Path file) throws IOException {
    JsonNode oracle = JSON.readTree(Captures.oracle(file).toFile());
    JsonNode answers = oracle.get("answers");
    JsonNode capture = oracle.get("capture");
    ReplayRun run = ReplayRun.of(file);
    ErfCheckSequences sequences = ErfCheckSequences.of(file);
    SoftAssertions softly = new SoftAssertions();
    softly.assertThat(run.packets()).as("packets").hasSize(answers.get("packets").asInt());
    softly
        .assertThat(run.counters().packets())
        .as("counted packets")
        .isEqualTo(answers.get("packets").asLong());
    softly
        .assertThat(run.counters().wireBytes())
        .as("bytes on the wire")
        .isEqualTo(answers.get("bytes_wire").asLong() - sequences.wireBytes());
    softly
        .assertThat(run.counters().capturedBytes())
        .as("captured bytes")
        .isEqualTo(capture.get("bytes_captured").asLong() - sequences.capturedBytes());
    softly
        .assertThat(run.linkTypes())
        .as("link types")
        .isEqualTo(counts(capture.get("link_types")));
    softly
        .assertThat(run.packets().stream().filter(packet -> !packet.timed()).count())
        .as("untimed packets")
        .isEqualTo(capture.get("packets_without_timestamp").asLong());
    softly.assertAll();
    assertTimes(run, capture);
    assertNote(run, capture.get("reader_note").asText());
  }

  private static void assertTimes(ReplayRun run, JsonNode capture) {
    long[] timesNs =
        run.packets().stream()
            .filter(ReplayRun.Packet::timed)
            .mapToLong(ReplayRun.Packet::timeNs)
            .toArray();
    assertThat(timesNs[0]).as("first").isEqualTo(capture.get("first_packet_ns").asLong());
    assertThat(timesNs[timesNs.length - 1])
        .as("last")
        .isEqualTo(capture.get("last_packet_ns").asLong());
    assertThat(Arrays.stream(timesNs).min().orElseThrow())
        .as("earliest")
        .isEqualTo(capture.get("earliest_ns").asLong());
    assertThat(Arrays.stream(timesNs).max().orElseThrow())
        .as("latest")
        .isEqualTo(capture.get("latest_ns").asLong());
  }

  private static void assertNote(ReplayRun run, String readerNote) {
    if (readerNote.isEmpty()) {
      assertThat(run.counters().notes()).isEmpty();
      return;
    }
    String offset = readerNote.replaceAll(".*at byte ", "");
    assertThat(run.counters().notes())
        .singleElement()
        .satisfies(note -> assertThat(note.offset()).isEqualTo(Long.parseLong(offset)));
  }

  private static Map<Integer, Integer> counts(JsonNode node) {
    Map<Integer, Integer> counts = new TreeMap<>();
    node.properties()
        .forEach(entry -> counts.put(Integer.valueOf(entry.getKey()), entry.getValue().asInt()));
    return counts;
  }
}
