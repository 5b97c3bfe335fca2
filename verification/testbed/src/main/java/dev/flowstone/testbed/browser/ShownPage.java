// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What people see of the page of a demo or a job, in a browser. Whoever opens it closes it. */
public final class ShownPage implements AutoCloseable {
  /** Of each edge what is written there, and what its elements tell programs. */
  private static final String EDGES =
      """
      Object.fromEntries([...document.querySelectorAll("[data-edge]")].map((edge) => [edge.dataset.edge, {
        count: edge.dataset.count, rate: edge.dataset.rate,
        words: [...edge.querySelectorAll(".rate, .total")].map((each) => each.textContent),
        drops: [...edge.querySelectorAll(".drop")].map((each) => ({
          reason: each.dataset.reason, count: each.dataset.count, words: each.textContent }))
      }]))\
      """;

  private static final String NODES =
      """
      Object.fromEntries([...document.querySelectorAll("[data-node]")].map((node) => [node.dataset.node, {
        state: node.dataset.state, frame: getComputedStyle(node.querySelector(".box")).stroke,
        words: node.querySelector(".sub").textContent
      }]))\
      """;

  private final Chromium browser;

  private ShownPage(Chromium browser) {
    this.browser = browser;
  }

  /** Returns when it shows something. */
  public static ShownPage open(String url) throws Exception {
    ShownPage page = new ShownPage(Chromium.open(url));
    page.browser.await("document.body?.dataset.shown !== undefined");
    return page;
  }

  /**
   * An edge of the picture.
   *
   * @param rate packets per second; -1: not known yet
   * @param drops by reason
   */
  public record Edge(long count, long rate, Map<String, Long> drops) {
    /** What is written there has to say the same. */
    static Edge of(JsonNode edge) {
      long count = edge.path("count").asLong();
      long rate = edge.path("rate").asLong(-1);
      assertThat(edge.path("words").get(0).asText())
          .isEqualTo(rate < 0 ? "–" : number(rate) + "/s");
      assertThat(edge.path("words").get(1).asText()).isEqualTo(number(count));
      Map<String, Long> drops = new TreeMap<>();
      for (JsonNode drop : edge.path("drops")) {
        assertThat(drop.path("words").asText())
            .startsWith("−" + number(drop.get("count").asLong()));
        drops.put(drop.path("reason").asText(), drop.path("count").asLong());
      }
      return new Edge(count, rate, drops);
    }
  }

  private static String number(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  public Map<String, Edge> edges() throws Exception {
    Map<String, Edge> edges = new TreeMap<>();
    browser
        .value(EDGES)
        .properties()
        .forEach(edge -> edges.put(edge.getKey(), Edge.of(edge.getValue())));
    return edges;
  }

  /**
   * A node of the picture.
   *
   * @param frame its colour
   * @param words below its count
   */
  record Node(String state, String frame, String words) {}

  Map<String, Node> nodes() throws Exception {
    Map<String, Node> nodes = new TreeMap<>();
    for (Map.Entry<String, JsonNode> each : browser.value(NODES).properties()) {
      JsonNode node = each.getValue();
      nodes.put(
          each.getKey(),
          new Node(
              node.path("state").asText(),
              node.path("frame").asText(),
              node.path("words").asText()));
    }
    return nodes;
  }

  public void await(String expression) throws Exception {
    browser.await(expression);
  }

  public JsonNode value(String expression) throws Exception {
    return browser.value(expression);
  }

  /** What stands there for people. */
  public String text(String selector) throws Exception {
    return value("document.querySelector('%s').innerText".formatted(selector)).asText();
  }

  /** As a window of that size shows it. */
  public void resize(int widthPx, int heightPx) throws Exception {
    browser.resize(widthPx, heightPx);
    browser.await("innerWidth === " + widthPx);
  }

  public List<String> complaints() {
    return browser.complaints();
  }

  /** Packets by rule, as the table's rows tell programs. */
  public Map<String, Long> rules() throws Exception {
    Map<String, Long> rules = new TreeMap<>();
    browser
        .value(
            "Object.fromEntries([...document.querySelectorAll('[data-rule]')].map((row) =>"
                + " [row.dataset.rule, Number(row.dataset.count ?? 0)]))")
        .properties()
        .forEach(rule -> rules.put(rule.getKey(), rule.getValue().asLong()));
    return rules;
  }

  @Override
  public void close() {
    browser.close();
  }
}
