// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.programs;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.testbed.kafka.PublishedKinds;
import dev.flowstone.traffic.synthetic.SynFlood;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The results in the topic of a demo whose traffic has ended, compared with what the demo's traffic
 * contains.
 */
public record DemoFindings(List<JsonNode> results) {
  private static final Duration READ_LIMIT = Duration.ofSeconds(30);

  /** Validated results of each kind: tens of thousands of flow records have the same form. */
  private static final int MAX_VALIDATED = 100;

  public static DemoFindings of(DemoProcess demo) throws Exception {
    List<JsonNode> results = new ArrayList<>();
    CommittedMessages.readAll(
        new KafkaTopic(demo.bootstrapServers(), "results"),
        READ_LIMIT,
        message -> results.add(json(message.value())));
    return new DemoFindings(results);
  }

  /** The alert is opened once, and closed when the traffic ends. */
  public void requireFlood(String output) {
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

  /** Returns the victim according to the generator, which floods the same one in each run. */
  private static String victim() {
    SynFlood atOnce = new SynFlood(Duration.ZERO, Duration.ofSeconds(1), 100_000, 1);
    SyntheticOptions options = SyntheticOptions.defaults().withFlood(atOnce);
    try (SyntheticSource source = new SyntheticSource(options);
        RawPacketBatch some = new RawPacketBatch(RawPacketBatch.DEFAULT_CAPACITY)) {
      source.fill(some);
      return source.truth().flood().orElseThrow().victim();
    }
  }

  public void requireEveryKind(JsonNode report) {
    Map<String, List<JsonNode>> kinds =
        results.stream().collect(groupingBy(result -> text(result, "kind")));
    assertThat(kinds)
        .containsOnlyKeys("alert", "burst", "flow_record", "histogram", "stage", "syn_window");
    PublishedKinds published = new PublishedKinds();
    kinds.forEach(
        (kind, told) -> {
          told.stream().limit(MAX_VALIDATED).forEach(published::require);
          assertThat(report.get("kinds").get(kind).asInt()).as(kind).isEqualTo(told.size());
        });
    assertThat(report.get("kinds")).hasSameSizeAs(kinds.keySet());
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
