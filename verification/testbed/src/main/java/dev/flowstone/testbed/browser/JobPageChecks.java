// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.monitoring.ClusterView;
import dev.flowstone.monitoring.page.PagePlaces;
import dev.flowstone.monitoring.page.PageServer;
import dev.flowstone.monitoring.stats.JobCounters;
import dev.flowstone.monitoring.stats.KnownStage;
import dev.flowstone.monitoring.stats.OperatorCounters;
import dev.flowstone.testbed.browser.ShownPage.Edge;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Holds the page of a job at rest, as a browser shows it, against Flink's REST interface.
 *
 * @param flink web address
 */
public record JobPageChecks(String flink, Path rings) {
  /** Names of rules' functions, by operators that do what these say. */
  private static final Map<String, String> FUNCTIONS =
      Map.of("Flow_records", "aggregate", "Histograms", "histogram", "Detectors", "anomaly");

  /** Every count and every drop is the same, and nothing moves. */
  public void requireCountersOf(String name) throws Exception {
    ClusterView cluster = ClusterView.ofWeb(flink);
    String id =
        cluster.jobs().orElseThrow().stream()
            .filter(job -> job.name().equals(name))
            .findFirst()
            .orElseThrow()
            .id();
    try (PageServer server = PageServer.bind(PageServer.LOCALHOST, 0)) {
      server.start(
          new PagePlaces(
              flink, Optional.of(name), Optional.empty(), List.of(rings), Optional.empty()));
      try (ShownPage page = ShownPage.open(server.url())) {
        page.await(
            "document.querySelector('#verdict').textContent.startsWith('every packet accounted"
                + " for')");
        page.await(
            "['rings-source', 'source-rules', 'rules-pass', 'packets-kafka'].every((edge) =>"
                + " document.querySelector(`[data-edge=${edge}]`)?.dataset.rate === '0')");
        // Not before: until then packets may be on their way to the last stage.
        requireSame(page.edges(), new JobCounters(cluster, id).read().stages());
        assertThat(page.complaints()).isEmpty();
      }
    }
  }

  private static void requireSame(Map<String, Edge> edges, List<OperatorCounters> told) {
    assertThat(edges.get("rings-source")).isEqualTo(edge(told, KnownStage.SOURCE));
    Edge rules = edge(told, KnownStage.RULES);
    assertThat(edges.get("source-rules").count()).isEqualTo(rules.count());
    assertThat(edges.get("rules-pass")).isEqualTo(edge(told, KnownStage.CHOICE));
    Set<String> compared = new HashSet<>();
    for (OperatorCounters operator : told) {
      String function = FUNCTIONS.get(operator.name());
      if (function != null) {
        assertThat(edges.get("rules-" + function))
            .isEqualTo(edge(List.of(operator), KnownStage.of(operator).orElseThrow()));
        compared.add(function);
      }
    }
    assertThat(FUNCTIONS.values().stream().filter(each -> edges.containsKey("rules-" + each)))
        .as("functions that the page shows")
        .containsExactlyInAnyOrderElementsOf(compared);
    assertThat(edges.get("packets-kafka")).isEqualTo(edge(told, KnownStage.PACKING));
    long dropped = rules.drops().values().stream().mapToLong(Long::longValue).sum();
    assertThat(edges.containsKey("rules-drop") ? edges.get("rules-drop").count() : 0)
        .isEqualTo(dropped);
  }

  private static Edge edge(List<OperatorCounters> told, KnownStage stage) {
    long count = 0;
    Map<String, Long> drops = new TreeMap<>();
    for (OperatorCounters operator : told) {
      if (KnownStage.of(operator).orElseThrow() == stage) {
        count += stage.in(operator);
        stage.leftOut(operator).forEach(each -> drops.put(each.reason(), each.count()));
      }
    }
    return new Edge(count, 0, drops);
  }
}
