// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** The counters of a demo's report, compared stage by stage. */
record DemoBalance(JsonNode report) {
  void require() {
    assertThat(count(report, "offered"))
        .isPositive()
        .isEqualTo(count(report, "written") + count(report, "dropped"))
        .isEqualTo(count(report, "consumed") + count(report, "lost") + count(report, "not_passed"));
    assertThat(report.get("balanced").asBoolean()).isTrue();
    assertThat(report.get("differences")).isNull();
    requireOwnCountersOfEveryStage();
  }

  private void requireOwnCountersOfEveryStage() {
    long packets = count(report, "offered");
    JsonNode tap = report.get("tap");
    assertThat(count(tap, "offered")).isEqualTo(packets);
    assertThat(count(tap, "received"))
        .as("what came to the emulated card")
        .isEqualTo(packets + count(tap, "filtered") + count(tap, "lost_before_tap"));
    long written = count(report, "written");
    assertThat(count(report.get("source"), "in")).isEqualTo(written);
    assertThat(count(report.get("source"), "out")).isEqualTo(written);
    requireOwnCountersOfEveryFunction(written);
    long passed = count(report.get("functions").get("pass"), "out");
    assertThat(count(report.get("packet_batches"), "in")).isEqualTo(passed);
    assertThat(count(report.get("packet_batches"), "out")).isEqualTo(passed);
    assertThat(count(report.get("kafka"), "messages_in"))
        .isPositive()
        .isEqualTo(count(report.get("kafka"), "messages_out"))
        .isEqualTo(count(report.get("packet_batches"), "messages"));
  }

  private void requireOwnCountersOfEveryFunction(long written) {
    JsonNode rules = report.get("rules");
    assertThat(count(rules, "in")).isEqualTo(written);
    long functions = count(rules, "dropped");
    for (String function : List.of("pass", "aggregate", "histogram", "anomaly", "user")) {
      long in = count(report.get("functions").get(function), "in");
      assertThat(in).as(function + " of " + report).isPositive();
      functions += in;
    }
    assertThat(functions).isEqualTo(written);
    JsonNode results = report.get("results");
    assertThat(count(results, "packets_in_flow_records"))
        .isEqualTo(count(report.get("functions").get("aggregate"), "out"));
    assertThat(count(results.get("questdb"), "out"))
        .isPositive()
        .isEqualTo(count(results, "messages_out"));
    assertThat(results.get("kinds").has("histogram")).isTrue();
    assertThat(results.get("kinds").has("burst")).isTrue();
  }

  static long count(JsonNode report, String name) {
    return report.get(name).asLong();
  }
}
