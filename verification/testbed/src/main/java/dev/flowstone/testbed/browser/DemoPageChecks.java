// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flowstone.processes.Patience;
import dev.flowstone.testbed.browser.ShownPage.Edge;
import dev.flowstone.testbed.programs.DemoProcess;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Compares the demo's page, as a browser shows it, with the sources of its numbers. */
public record DemoPageChecks(DemoProcess demo) {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** Flink tells something new once a second. */
  private static final long LOOK_INTERVAL_MS = 500;

  private static final double MS_PER_SECOND = 1e3;

  /**
   * A file that cannot be read now, and had other rules when it could; what rules count is known.
   */
  private static final String BROKEN_RULES =
      """
      (async () => {
        const { showRules } = await import("/tables.js");
        const count = { count: 7, per_second: 7 };
        const was = { name: "web", priority: 1, packets: "tcp", kind: "pass", function: "sample 1:10", topic: "packets" };
        const show = (of_rules) => {
          showRules({
            flink: { value: { of_rules, rules: { version: 2, waiting: 0, refused: 0, refused_since: 0 } } },
            rules: { place: "rules.yaml", value: { standing: "IN_FORCE", words: [was] }, problem: "line 3 is wrong" },
          });
          return document.querySelector("#rules-rows").textContent + document.querySelector("#rules-notice").textContent;
        };
        return { none: show({}), web: show({ web: count }) };
      })()\
      """;

  /** While packets come, rates are what counters of two moments of Flink's make, and shown so. */
  public void requireLiveRates() throws Exception {
    try (ToldByPage told = ToldByPage.at(demo.pageUrl());
        ShownPage page = ShownPage.open(demo.pageUrl())) {
      page.await("document.querySelector('[data-edge=\"source-rules\"]') !== null");
      Map<Long, Long> counts = new HashMap<>();
      Map<Long, Long> rates = new HashMap<>();
      boolean isShown = false;
      Patience patience = new Patience(LIMIT);
      while (!isShown) {
        assertThat(patience.isOver(rates.size()))
            .as("%s rates, none of them shown; %s", rates, counts)
            .isFalse();
        Thread.sleep(LOOK_INTERVAL_MS);
        takeRate(told.state(), counts, rates);
        Edge edge = page.edges().get("source-rules");
        if (edge.rate() >= 0 && rates.containsKey(edge.count())) {
          assertThat(edge.rate()).isEqualTo(rates.get(edge.count()));
          isShown = true;
        }
      }
      page.await(
          "document.querySelector('#verdict').textContent.startsWith('every packet accounted"
              + " for')");
      assertThat(page.complaints()).isEmpty();
    }
  }

  /**
   * Of packets that were given a rule.
   *
   * @param counts by the time for which the job had run then
   * @param rates by the count
   */
  private static void takeRate(JsonNode state, Map<Long, Long> counts, Map<Long, Long> rates) {
    JsonNode flink = state.at("/flink/value");
    long runningMs = flink.path("running_ms").asLong();
    long overMs = flink.path("rates_over_ms").asLong();
    for (JsonNode stage : flink.path("stages")) {
      if (runningMs > 0 && stage.path("kind").asText().equals("RULES")) {
        long count = stage.at("/in/count").asLong();
        counts.put(runningMs, count);
        Long before = counts.get(runningMs - overMs);
        if (stage.at("/in/per_second").isNumber() && overMs > 0 && before != null) {
          long rate = stage.at("/in/per_second").asLong();
          assertThat(rate)
              .as("%s, and in %d ms from %d on", flink, overMs, before)
              .isEqualTo(Math.round((count - before) * MS_PER_SECOND / overMs));
          rates.put(count, rate);
        }
      }
    }
  }

  /** When all has ended, every number is that of the demo's own report, drops included. */
  public void requireReport() throws Exception {
    JsonNode report = demo.report();
    long offered = report.get("offered").asLong();
    JsonNode lost = report.at("/source/lost");
    try (ShownPage page = ShownPage.open(demo.pageUrl())) {
      // A slow machine may drop packets. They are compared below.
      page.await(
          "document.querySelector('#verdict').textContent.startsWith('every packet accounted"
              + " for')");
      page.await("document.querySelector('[data-alert]') !== null");
      page.await("document.querySelector('#gaps-words').textContent.includes('gaps')");
      page.await("document.querySelector('[data-edge=\"tap-rings\"]').dataset.rate === '0'");
      Map<String, Edge> edges = page.edges();
      assertThat(edges.get("tap-rings"))
          .isEqualTo(edge(offered, report.get("dropped"), "dropped since a ring is full"));
      assertThat(edges.get("rings-source"))
          .isEqualTo(edge(offered - lost.asLong(), lost, "lost in rings"));
      assertThat(edges.get("source-rules").count()).isEqualTo(report.at("/rules/in").asLong());
      JsonNode pass = report.at("/functions/pass");
      assertThat(edges.get("rules-pass"))
          .isEqualTo(edge(pass.get("in").asLong(), pass.get("left_out"), "left out of the sample"));
      for (String function : List.of("aggregate", "histogram", "anomaly", "user")) {
        requireFunction(edges.get("rules-" + function), report.path("functions").path(function));
      }
      assertThat(edges.get("rules-drop").count()).isEqualTo(report.at("/rules/dropped").asLong());
      assertThat(edges.get("packets-kafka").count())
          .isEqualTo(report.at("/packet_batches/out").asLong());
      assertThat(edges.values()).extracting(Edge::rate).containsOnly(0L);
      assertThat(page.rules()).isEqualTo(numbers(report.at("/rules/packets_of_rule")));
      assertThat(page.text("#alerts")).contains("syn flood", "SYNs without ACK to");
      requireKnownPercentiles(page);
      assertThat(page.complaints()).isEmpty();
    }
  }

  private static void requireFunction(Edge edge, JsonNode function) {
    assertThat(edge.count()).isPositive().isEqualTo(function.get("in").asLong());
    assertThat(edge.drops().values().stream().mapToLong(Long::longValue).sum())
        .isEqualTo(function.get("left_out").asLong());
  }

  private static Edge edge(long count, JsonNode dropped, String reason) {
    return new Edge(count, 0, dropped.asLong() == 0 ? Map.of() : Map.of(reason, dropped.asLong()));
  }

  private static Map<String, Long> numbers(JsonNode object) {
    Map<String, Long> numbers = new TreeMap<>();
    object.properties().forEach(each -> numbers.put(each.getKey(), each.getValue().asLong()));
    return numbers;
  }

  /** What is beyond a histogram's range is no longer than the longest. */
  private static void requireKnownPercentiles(ShownPage page) throws Exception {
    String percentile =
        "import('/gaps.js').then(({ quantile }) =>"
            + " quantile({ bins: [20, 97], overflow: 3, count: 100, max_ns: 1e9 }, 0.99, 10))";
    assertThat(page.value(percentile).asDouble()).isEqualTo(90);
  }

  /** In a wide window, in one of a tablet's width and on a phone, also when numbers get long. */
  public void requireLegible() throws Exception {
    try (ShownPage page = ShownPage.open(demo.pageUrl())) {
      page.await("document.querySelector('[data-edge=\"packets-kafka\"]') !== null");
      page.await("document.querySelector('#gaps-words').textContent.includes('gaps')");
      for (int[] size : new int[][] {{1600, 900}, {800, 1100}, {400, 800}}) {
        page.resize(size[0], size[1]);
        Legibility.require(page);
      }
    }
  }

  public void requireNoFormerRules() throws Exception {
    try (ShownPage page = ShownPage.open(demo.pageUrl())) {
      JsonNode seen = page.value(BROKEN_RULES);
      assertThat(seen.get("web").asText()).contains("web").doesNotContain("sample 1:10");
      assertThat(seen.get("none").asText()).isEmpty();
    }
  }
}
