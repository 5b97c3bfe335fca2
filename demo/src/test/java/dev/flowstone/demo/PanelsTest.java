// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PanelsTest {
  private static final String RULES =
      """
      rules:
        - {name: a-rule-with-a-long-name, match: {protocol: udp}, function: histogram}
        - {name: pings, match: {protocol: icmp}, function: drop}
      """;

  @TempDir private Path folder;
  private Path file;
  private final Findings findings = new Findings();
  private RulesPanel rules;
  private Panels panels;

  @BeforeEach
  void writeRules() throws IOException {
    file = Files.writeString(folder.resolve("rules.yaml"), RULES);
    rules = new RulesPanel(file);
    panels = new Panels(rules, findings);
  }

  private static FunctionCounters counters(long pings, long version, long refused) {
    return new FunctionCounters(
        pings,
        pings,
        Map.of("pings", pings),
        List.of(),
        new FunctionCounters.RulesState(version, refused));
  }

  private void find() {
    for (int i = 0; i < 9; i++) {
      take(
          "{'kind':'alert','id':'%d','time_ns':0,'state':'opened','detector':'host_scan','subject':'2001:db8:1111:2222:3333:4444:5555:%d','observed':9,'limit':8,'peak':9}"
              .formatted(i, i));
      take(
          "{'kind':'flow_record','source_address':'192.0.2.%d','source_port':443,'destination_address':'192.0.2.1','destination_port':40000,'last_ns':0,'packets':1,'bytes':%d}"
              .formatted(i, 5_000 * i));
    }
    take(
        "{'kind':'burst','time_ns':0,'source_address':'2001:db8:1111:2222:3333:4444:5555:1','source_port':4000,'destination_address':'2001:db8:1111:2222:3333:4444:5555:2','destination_port':5001,'last_ns':4000000000,'packets':9,'bytes':9}");
  }

  private void take(String json) {
    findings.take(json.replace('\'', '"').getBytes(UTF_8));
  }

  private List<String> lines(int columns, int rows) {
    return panels.lines(columns, rows).stream()
        .map(line -> line.replaceAll("\u001b\\[[0-9;]*m", ""))
        .toList();
  }

  @Test
  void shouldTellTheRulesWithTheirPackets() throws IOException {
    rules.refresh(counters(0, 1, 0), 1);
    rules.refresh(counters(3_000, 1, 0), 2_000_000_001);
    assertThat(rules.lines())
        .containsExactly(
            "rules                    packets/s",
            "a-rule-with-a~ histogram         0",
            "pings          drop          1,500",
            "default        pass              0");
    Files.writeString(file, "rules: []\n");
    rules.refresh(counters(3_000, 1, 0), 3_000_000_001L);
    assertThat(rules.lines()).as("not in force yet").hasSize(4);
    rules.refresh(counters(3_000, 2, 0), 4_000_000_001L);
    assertThat(rules.lines().getFirst()).isEqualTo("rules, version 2         packets/s");
    assertThat(rules.lines()).hasSize(2);
    rules.refresh(counters(3_000, 2, 1), 5_000_000_001L);
    assertThat(rules.lines().getFirst()).isEqualTo("rules, version 2, 1 refused");
  }

  @ParameterizedTest
  @CsvSource({"79,8", "79,3", "119,25", "60,5", "30,40", "200,60", "79,0", "79,-3"})
  void shouldFitWhereItStands(int columns, int rows) {
    find();
    panels.refresh(counters(5, 1, 0));
    assertThat(lines(columns, rows))
        .hasSizeLessThanOrEqualTo(Math.max(0, rows))
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(Math.max(34, columns)));
  }

  /** On a small screen one alert says more than the last rule. */
  @Test
  void shouldLeaveOutTheLastFirstButOneAlert() {
    panels.refresh(counters(5, 1, 0));
    assertThat(lines(79, 3).getLast()).startsWith("pings");
    find();
    assertThat(lines(79, 3).getLast()).startsWith("alerts   00:00:00  opened   host_scan");
    assertThat(lines(79, 40))
        .anyMatch(line -> line.startsWith("talkers         8,000 B/s  192.0.2.8:443 > "));
  }

  /** Half of a port is another port. */
  @Test
  void shouldShowWhereALineIsCut() {
    find();
    panels.refresh(counters(5, 1, 0));
    assertThat(lines(79, 40))
        .anyMatch(line -> line.matches("bursts   00:00:00  9 packets in 4,000,000 us, .{32}~"));
  }

  @Test
  void shouldTellAlertsWhereNothingIsDrawn() {
    find();
    assertThat(panels.news()).hasSize(9).first().asString().startsWith("alert 00:00:00  opened ");
    assertThat(panels.news()).isEmpty();
  }
}
