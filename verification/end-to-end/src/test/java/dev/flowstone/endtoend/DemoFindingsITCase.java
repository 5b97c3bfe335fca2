// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.traffic.synthetic.SynFlood;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The demo's rules find what its traffic is made to have, and readers of its topic find it. */
@Timeout(180)
class DemoFindingsITCase {
  private static final int STOPPED_BY_CTRL_C = 130;
  private static final Duration READ_LIMIT = Duration.ofSeconds(30);

  /** Two seconds more than until the flood begins. */
  private static final String SECONDS = "12";

  /** Of each kind: there are tens of thousands of flow records, all of one form. */
  private static final int MOST_VALIDATED = 100;

  @TempDir private Path folder;

  @Test
  void shouldFindTheFloodAndSomethingOfEveryFunction() throws Exception {
    try (DemoProcess demo =
        new DemoProcess(
            folder, List.of(), "--seconds", SECONDS, "--rate", "100k", "--no-questdb", "--keep")) {
      demo.awaitWords("All stays up until Ctrl-C");
      List<JsonNode> results = results(new KafkaTopic(demo.bootstrapServers(), "results"));
      demo.interrupt();
      assertThat(demo.awaitExit()).as(demo.output()).isEqualTo(STOPPED_BY_CTRL_C);
      requireFlood(results, demo.output());
      requireEveryKind(results, demo.report().get("results"));
      demo.requireNothingLeft(3);
    }
  }

  /** Opened once, and closed when the traffic ended, which the flood outlasts. */
  private static void requireFlood(List<JsonNode> results, String output) {
    String victim = victim();
    List<JsonNode> floods =
        results.stream()
            .filter(result -> text(result, "kind").equals("alert"))
            .filter(alert -> text(alert, "detector").equals("syn_flood"))
            .toList();
    assertThat(floods).extracting(alert -> text(alert, "subject")).containsOnly(victim);
    assertThat(floods.stream().map(alert -> text(alert, "id")).distinct()).hasSize(1);
    List<String> states = floods.stream().map(alert -> text(alert, "state")).toList();
    assertThat(states).startsWith("opened").endsWith("closed");
    assertThat(states).filteredOn(state -> !state.equals("updated")).hasSize(2);
    assertThat(results)
        .filteredOn(result -> text(result, "kind").equals("syn_window"))
        .extracting(window -> text(window, "destination"))
        .containsOnly(victim);
    assertThat(output).containsPattern("closed +syn_flood +" + victim.replace(".", "\\."));
  }

  /** Whom the generator floods, as it says itself: the same in each run, however soon it begins. */
  private static String victim() {
    SynFlood atOnce = new SynFlood(Duration.ZERO, Duration.ofSeconds(1), 100_000, 1);
    SyntheticOptions options = SyntheticOptions.defaults().withFlood(atOnce);
    try (SyntheticSource source = new SyntheticSource(options);
        RawPacketBatch some = new RawPacketBatch(RawPacketBatch.DEFAULT_CAPACITY)) {
      source.fill(some);
      return source.truth().flood().orElseThrow().victim();
    }
  }

  private static void requireEveryKind(List<JsonNode> results, JsonNode report) {
    Map<String, List<JsonNode>> kinds =
        results.stream().collect(groupingBy(result -> text(result, "kind")));
    assertThat(kinds)
        .containsOnlyKeys("alert", "burst", "flow_record", "histogram", "stage", "syn_window");
    PublishedKinds published = new PublishedKinds();
    kinds.forEach(
        (kind, told) -> {
          told.stream().limit(MOST_VALIDATED).forEach(published::require);
          assertThat(report.get("kinds").get(kind).asInt()).as(kind).isEqualTo(told.size());
        });
    assertThat(report.get("kinds")).hasSameSizeAs(kinds.keySet());
  }

  private static List<JsonNode> results(KafkaTopic topic) throws InterruptedException {
    List<JsonNode> results = new ArrayList<>();
    CommittedMessages.readAll(topic, READ_LIMIT, message -> results.add(json(message.value())));
    return results;
  }

  private static JsonNode json(byte[] message) {
    try {
      return new ObjectMapper().readTree(message);
    } catch (IOException e) {
      throw new UncheckedIOException("not JSON", e);
    }
  }

  private static String text(JsonNode result, String field) {
    return result.get(field).asText();
  }
}
