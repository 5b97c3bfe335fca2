// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.stages;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import dev.flowstone.results.JsonResult;
import dev.flowstone.results.LineResult;
import dev.flowstone.stages.RuleLabels;
import dev.flowstone.stages.StageCounts;
import dev.flowstone.stages.StageScope;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** How reports are written, held against the schema that is published. */
class StageReportTest {
  private static final JsonSchema SCHEMA =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(JsonResult.schema());

  private static final long TIME_NS = 1_700_000_010_000_000_000L;
  private static final long SINCE_MS = 1_700_000_000_123L;

  private static StageReport report(Map<String, String> labels, Map<String, Number> values) {
    return new StageReport(
        new StageCounts(
            "sampling", "Rules", 1, SINCE_MS, new StageScope(labels), new TreeMap<>(values)),
        TIME_NS,
        false);
  }

  private static String json(StageReport report) throws Exception {
    String json = JsonResult.of(report);
    assertThat(SCHEMA.validate(new ObjectMapper().readTree(json))).as(json).isEmpty();
    return json;
  }

  @Test
  void shouldTellCountersOfAllPackets() throws Exception {
    assertThat(json(report(Map.of(), Map.of("packetsDropped", 3L, "rulesVersion", 2L))))
        .isEqualTo(
            "{\"kind\":\"stage\",\"time_ns\":1700000010000000000,\"rule\":\"*\",\"job\":\"sampling\","
                + "\"stage\":\"Rules\",\"subtask\":1,\"since_ns\":1700000000123000000,"
                + "\"packets_dropped\":3,\"rules_version\":2}");
  }

  @Test
  void shouldTellThatItIsTheLast() throws Exception {
    StageReport report = report(Map.of(), Map.of("packets", 3L));
    assertThat(json(report)).doesNotContain("last");
    assertThat(json(new StageReport(report.counts(), TIME_NS, true))).contains("\"last\":1");
  }

  @Test
  void shouldTellCountersOfARule() throws Exception {
    StageReport report = report(Map.of("rule", "web"), Map.of("packetsOfRule", 12L));

    assertThat(json(report)).contains("\"rule\":\"web\"").contains("\"packets_of_rule\":12");
    assertThat(LineResult.of(report, "another").line())
        .isEqualTo(
            "stage,rule=web,job=sampling,stage=Rules,subtask=1 since_ns=1700000000123000000i,"
                + "packets_of_rule=12i,result_key=\"job=sampling,stage=Rules,subtask=1\" "
                + TIME_NS
                + "\n");
  }

  @Test
  void shouldTellCountersOfRulesThatAreCountedTogether() throws Exception {
    StageReport report = report(Map.of("rule", RuleLabels.OTHERS), Map.of("packetsOfRule", 12L));

    assertThat(json(report)).contains("\"rule\":\"(others)\"");
  }

  @Test
  void shouldTellCountersOfARing() throws Exception {
    Map<String, String> labels = new LinkedHashMap<>();
    labels.put("taprings", "eth0");
    labels.put("ring", "1");

    assertThat(json(report(labels, Map.of("ringOccupancy", 0.25, "blocksEmitted", 1L))))
        .contains("\"taprings\":\"eth0\",\"ring\":\"1\"")
        .contains("\"blocks_emitted\":1,\"ring_occupancy\":0.25");
  }

  /** What functions of users call their metrics is theirs to choose. */
  @Test
  void shouldFindANameForEveryMetric() throws Exception {
    Map<String, String> labels = new LinkedHashMap<>();
    labels.put("rule", "mine");
    labels.put(StageScope.NAMES, "cache.inner");
    labels.put("vlan", "7");
    StageReport report =
        report(
            labels,
            Map.of(
                "stage",
                1L,
                "Hit rate (%)",
                0.5,
                "9lives",
                2L,
                "a_b",
                3L,
                "aB",
                4L,
                "x".repeat(99),
                5L));

    assertThat(json(report))
        .contains("\"group\":\"cache.inner.vlan.7\"")
        .contains("\"stage\":\"Rules\"")
        .contains("\"stage_2\":1")
        .contains("\"hit_rate_\":0.5")
        .contains("\"metric_9lives\":2")
        .contains("\"a_b\":4")
        .contains("\"a_b_2\":3");
    assertThat(LineResult.of(report, "another").line()).contains("stage_2=1i");
  }
}
