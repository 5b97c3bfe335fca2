// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.results.JsonResult;
import dev.flowstone.results.Result;
import dev.flowstone.rules.function.Detector.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What readers get, held against the schema that is published for them. */
@SuppressWarnings("try") // Its close throws whatever the operators' do.
class AlertJsonTest {
  private static final long NS_PER_SECOND = 1_000_000_000;
  private static final long BEGIN_NS = 1_700_000_000 * NS_PER_SECOND;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private static List<JsonNode> results(String detector, Attack attack) throws Exception {
    RulesInForce rules =
        new RulesText(
                1,
                "test",
                "rules:\n  - {name: watch, flow_id: 7, function: {anomaly: [%s]}}"
                    .formatted(detector))
            .read();
    List<PacketBlock> blocks = new ArrayList<>();
    TestPacket.blocks(attack.packets(0x1_0001), blocks::add);
    try (DetectorRun run = new DetectorRun(rules, 1)) {
      for (PacketBlock block : blocks) {
        run.give(0, RuledBlock.of(block, rules, 0));
      }
      run.end();
      List<JsonNode> json = new ArrayList<>();
      for (Result result :
          Stream.concat(run.synWindows().stream(), run.alerts().stream()).toList()) {
        json.add(MAPPER.readTree(JsonResult.of(result)));
      }
      return json;
    }
  }

  private static Attack attack(Kind kind) {
    return new Attack(kind, BEGIN_NS + NS_PER_SECOND, BEGIN_NS + 9 * NS_PER_SECOND, 20);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldBeAsTheSchemaSays(Kind kind) throws Exception {
    JsonSchema schema =
        JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
            .getSchema(JsonResult.schema());
    String detector =
        "{detect: %s, threshold: 5, thresholds: [{prefix: 203.0.113.0/24, threshold: 7}], baseline: {times: 2, half_life: 1h}%s}"
            .formatted(
                kind.name().toLowerCase(Locale.ROOT),
                kind == Kind.SYN_FLOOD ? ", least_completed_percent: 30" : "");

    List<JsonNode> results = results(detector, attack(kind));

    assertThat(results).hasSizeGreaterThanOrEqualTo(3);
    for (JsonNode result : results) {
      assertThat(schema.validate(result)).as("%s", result).isEmpty();
    }
  }

  @Test
  void shouldSayAllThereIsToSayOfAnAlert() throws Exception {
    List<JsonNode> results =
        results(
            "{detect: syn_flood, threshold: 500, thresholds: [{prefix: 203.0.113.0/24, threshold: 70}, {prefix: 203.0.113.80, threshold: 79}]}",
            attack(Kind.SYN_FLOOD));

    assertThat(results.get(0).toString())
        .isEqualTo(
            "{\"kind\":\"syn_window\",\"time_ns\":1700000005000000000,\"rule\":\"watch\",\"flow_id\":7,"
                + "\"detector\":\"syn_flood\",\"destination\":\"203.0.113.80\","
                + "\"window_begin_ns\":1700000000000000000,\"window_end_ns\":1700000005000000000,"
                + "\"count\":80,\"threshold\":79}");
    JsonNode opened = results.get(2);
    assertThat(opened.get("state").asText()).isEqualTo("opened");
    assertThat(opened.get("id").asText())
        .isEqualTo("watch/syn_flood/203.0.113.80/1700000000000000000");
    assertThat(opened.get("threshold_prefix").asText()).isEqualTo("203.0.113.80");
    assertThat(opened.get("explanation").asText())
        .isEqualTo("80 SYNs without ACK to 203.0.113.80 within 5s, more than 79 for 203.0.113.80");
    assertThat(opened.get("packets_per_second").asDouble()).isEqualTo(16);
    assertThat(opened.get("first_stream").asText()).isEqualTo("0000000000010001");
    assertThat(opened.get("first_position").asLong()).isZero();
    assertThat(opened.get("first_time_ns").asLong()).isEqualTo(1_700_000_001_000_000_000L);
    assertThat(opened.get("last_position").asLong()).isEqualTo(79);
    JsonNode closed = results.getLast();
    assertThat(closed.get("state").asText()).isEqualTo("closed");
    assertThat(closed.get("packets").asLong()).isEqualTo(160);
    assertThat(closed.get("last_position").asLong()).isEqualTo(159);
    assertThat(closed.get("explanation").asText())
        .isEqualTo(
            "0 SYNs without ACK to 203.0.113.80 within 5s, no more than 79 for 203.0.113.80");
  }

  @Test
  void shouldTellDetectorsOfAKindApart() throws Exception {
    assertThat(
            results(
                "{detect: rst_flood, threshold: 5}, {detect: udp_flood, threshold: 1}, {detect: rst_flood, threshold: 6}",
                attack(Kind.RST_FLOOD)))
        .extracting(result -> result.get("detector").asText())
        .containsOnly("rst_flood", "rst_flood-2");
  }
}
