// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static dev.flowstone.testbed.browser.EveryStage.number;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flowstone.monitoring.page.PagePlaces;
import dev.flowstone.monitoring.page.PageServer;
import dev.flowstone.testbed.browser.Chromium;
import dev.flowstone.testbed.browser.EveryStage;
import dev.flowstone.testbed.browser.ScriptedJob;
import dev.flowstone.testbed.browser.ShownPage;
import dev.flowstone.testbed.browser.ShownPage.Edge;
import dev.flowstone.testbed.browser.ShownVerdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the page shows of a job with every stage whose counters say what they seldom do. */
@Timeout(180)
class ScriptedPageITCase {
  private static final String RULES =
      """
      rules:
        - {name: pings, priority: 80, match: {protocol: icmp}, function: drop}
        - name: connections
          priority: 70
          match: {protocol: tcp, tcp_flags: syn and not ack}
          function:
            anomaly:
              - {detect: syn_flood, threshold: 20000, window: 2s, slide: 1s}
              - {detect: host_scan, threshold: 500, window: 2s, slide: 1s}
        - name: bursts
          priority: 60
          match: {destination_port: 5001, protocol: udp}
          function: {user: {class: org.example.functions.Bursts}}
        - {name: web.tls, priority: 50, match: {source_port: 443}, function: aggregate}
        - name: datagrams
          priority: 40
          match: {protocol: udp, destination: 192.0.2.0/24}
          function: {histogram: {of: [inter_arrival], per: rule, interval: 1s, digits: 1}}
        - name: mail
          priority: 30
          match: {destination_port: 25}
          function: {sample: {one_in: 10, by: packets}}
      default: {function: pass}
      """;

  /** Cells of the table's rows, as they stand there. */
  private static final String TABLE =
      """
      [...document.querySelectorAll("#rules-rows tr")].map((row) =>
        [row.dataset.kind, ...[...row.children].map((cell) => cell.textContent)].join(" | "))\
      """;

  private static final String WORDS =
      """
      Object.fromEntries([...document.querySelectorAll("[data-edge]")].map((edge) =>
        [edge.dataset.edge, edge.querySelector("title").textContent]))\
      """;

  private static final String DROP_RATES =
      """
      Object.fromEntries([...document.querySelectorAll("[data-edge] .drop")].map((drop) =>
        [`${drop.closest("[data-edge]").dataset.edge}: ${drop.dataset.reason}`, drop.dataset.rate]))\
      """;

  private static final String TITLES =
      "[...document.querySelectorAll('[data-node] .title')].map((title) => title.textContent)";

  /** How many rows of the table are cut, how many are below its end, and what stands there. */
  private static final String END_OF_RULES =
      """
      (() => {
        const LINE = 1.5;
        const box = (element) => element.getBoundingClientRect();
        const more = document.querySelector("#rules .more");
        const place = document.querySelector("#rules .scroll");
        const end = more.hidden ? box(place).top + place.clientHeight : box(more).top;
        const rows = [...document.querySelectorAll("#rules-rows tr")].map(box);
        const below = rows.filter((row) => row.bottom > end + LINE);
        return { cut: below.filter((row) => row.top < end - LINE).length, below: below.length, words: more.hidden ? "" : more.textContent };
      })()\
      """;

  private static final String IN_WORDS =
      "document.querySelector('#rules-rows').textContent.includes('sample 1:10 by packets')";

  @TempDir private Path folder;

  /** That job, and its rules in a file. */
  private PagePlaces places(ScriptedJob job) throws IOException {
    Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
    return new PagePlaces(
        job.url(), Optional.empty(), Optional.empty(), List.of(), Optional.of(rules));
  }

  @Test
  void shouldTellWhatBecomesOfEveryPacket() throws Exception {
    Chromium.require();
    try (ScriptedJob job = new ScriptedJob(EveryStage.COUNTERS);
        PageServer server = PageServer.bind(PageServer.LOCALHOST, 0)) {
      server.start(places(job));
      try (ShownPage page = ShownPage.open(server.url())) {
        requireNothingMissing(page);
        job.alsoCount(EveryStage.LOSSES);
        requireRates(page);
        requireNamesOfTheJob(page);
        requireRules(page);
        requireCounts(page, job.rest());
        requireMissing(page, job);
        assertThat(page.complaints()).isEmpty();
      }
    }
  }

  /** The words of the file go with its rules; names and counts are the job's own. */
  @Test
  void shouldTellWordsOnlyOfRulesThatAreInForce() throws Exception {
    Chromium.require();
    try (ScriptedJob job = new ScriptedJob(EveryStage.COUNTERS);
        PageServer server = PageServer.bind(PageServer.LOCALHOST, 0);
        PageServer later = PageServer.bind(PageServer.LOCALHOST, 0)) {
      PagePlaces places = places(job);
      job.tellOfRules(1, 0, 0);
      server.start(places);
      try (ShownPage page = ShownPage.open(server.url())) {
        requireWords(page, "Rules in force", "");
        job.tellOfRules(1, 1, 0);
        requireNamesAlone(
            page,
            "1 newer set waits for what it needs, version 1 stays in force; the JobManager's log"
                + " says for what.");
        job.tellOfRules(2, 0, 0);
        requireWords(page, "Rules in force", "");
        job.tellOfRules(2, 0, 1);
        requireNamesAlone(
            page,
            "1 change was refused since version 2 came into force; the JobManager's log says why.");
        job.tellOfRules(3, 0, 1);
        requireWords(page, "Rules in force", "");
        assertThat(page.complaints()).isEmpty();
      }
      later.start(places);
      try (ShownPage page = ShownPage.open(later.url())) {
        requireWords(
            page,
            "Rules, as the file has them",
            "1 change was refused, before version 3 came into force or since. Whether version 3 is"
                + " what the file says is not known.");
      }
    }
  }

  /** No entry is cut, and how many more there are is said while there are any. */
  @Test
  void shouldEndListsBehindAWholeEntry() throws Exception {
    Chromium.require();
    try (ScriptedJob job = new ScriptedJob(EveryStage.COUNTERS);
        PageServer server = PageServer.bind(PageServer.LOCALHOST, 0)) {
      server.start(places(job));
      try (ShownPage page = ShownPage.open(server.url())) {
        page.await("document.querySelectorAll('[data-rule]').length === 8");
        for (int[] size : new int[][] {{1600, 900}, {400, 800}}) {
          page.resize(size[0], size[1]);
          scrollRules(page, 0);
          page.await(END_OF_RULES + ".cut === 0 && " + END_OF_RULES + ".below > 0");
          page.await(END_OF_RULES + ".words === `${" + END_OF_RULES + ".below} more below`");
          scrollRules(page, 1_000);
          page.await(END_OF_RULES + ".below === 0 && " + END_OF_RULES + ".words === ''");
        }
        assertThat(page.complaints()).isEmpty();
      }
    }
  }

  private static void scrollRules(ShownPage page, int downPx) throws Exception {
    page.value("document.querySelector('#rules .scroll').scrollTo(0, %d)".formatted(downPx));
  }

  private static void requireWords(ShownPage page, String title, String notice) throws Exception {
    awaitRules(page, title, notice);
    page.await(IN_WORDS + " && document.querySelectorAll('[data-rule]').length === 8");
  }

  private static void requireNamesAlone(ShownPage page, String notice) throws Exception {
    awaitRules(page, "Rules in force", notice + " So what the file says is not shown.");
    page.await("!" + IN_WORDS);
    assertThat(page.rules())
        .containsOnlyKeys(
            "pings", "connections", "bursts", "web_tls", "datagrams", "mail", "former");
  }

  private static void awaitRules(ShownPage page, String title, String notice) throws Exception {
    page.await(
        "document.querySelector('#rules-title').textContent === \"%s\" && document.querySelector('#rules-notice').textContent === \"%s\""
            .formatted(title, notice));
  }

  private static void requireNothingMissing(ShownPage page) throws Exception {
    page.await("document.querySelector('[data-edge=\"source-rules\"]')?.dataset.rate === '10000'");
    new ShownVerdict(page).require("good", "every packet accounted for");
  }

  /** While it moves, each look is one of a second that is like the others. */
  private static void requireRates(ShownPage page) throws Exception {
    page.await("document.querySelector('[data-reason=\"refused\"]')?.dataset.rate === '47'");
    Map<String, Edge> edges = page.edges();
    long seconds = edges.get("source-rules").count() / EveryStage.PACKETS;
    assertThat(edges).isEqualTo(EveryStage.edgesAfter(seconds, true));
    Map<String, Long> dropRates = new TreeMap<>();
    texts(page, DROP_RATES).forEach((drop, rate) -> dropRates.put(drop, Long.valueOf(rate)));
    assertThat(dropRates).isEqualTo(EveryStage.dropRates());
  }

  private static Map<String, String> texts(ShownPage page, String expression) throws Exception {
    Map<String, String> texts = new TreeMap<>();
    page.value(expression)
        .properties()
        .forEach(each -> texts.put(each.getKey(), each.getValue().asText()));
    return texts;
  }

  /** A box is called what the job calls its stage, as everywhere else. */
  private static void requireNamesOfTheJob(ShownPage page) throws Exception {
    assertThat(page.value(TITLES))
        .extracting(JsonNode::asText)
        .contains("Packets", "Flow records", "Histograms", "Detectors", "The user's own");
  }

  /** Those of the file mean what it says; of one that counts all the same nothing is known. */
  private static void requireRules(ShownPage page) throws Exception {
    assertThat(page.value(TABLE))
        .extracting(JsonNode::asText)
        .containsExactly(
            "drop | 80 | pings | icmp | drop | 1,000 | 10.0 %",
            "anomaly | 70 | connections | tcp, syn and not ack | syn flood, host scan | 1,200 |"
                + " 12.0 %",
            "user | 60 | bursts | destination port 5001, udp | user Bursts | 1,300 | 13.0 %",
            "aggregate | 50 | web.tls | source port 443 | aggregate | 2,000 | 20.0 %",
            "histogram | 40 | datagrams | destination 192.0.2.0/24, udp | histogram per rule |"
                + " 1,500 | 15.0 %",
            "sample | 30 | mail | destination port 25 | sample 1:10 by packets | 2,900 | 29.0 %",
            "pass |  | default | every other packet | pass | – | 0.0 %",
            " |  | former |  |  | 100 | 1.0 %");
    assertThat(page.value("document.querySelector('[data-rule=bursts] .what').title").asText())
        .isEqualTo("user org.example.functions.Bursts");
  }

  private static void requireCounts(ShownPage page, long seconds) throws Exception {
    page.await("document.querySelector('[data-edge=\"source-rules\"]').dataset.rate === '0'");
    assertThat(page.edges()).isEqualTo(EveryStage.edgesAfter(seconds, false));
    assertThat(texts(page, WORDS)).isEqualTo(EveryStage.wordsAfter(seconds));
    new ShownVerdict(page)
        .require(
            "warn",
            "every packet accounted for; %s lost".formatted(number(seconds * EveryStage.LOST)));
  }

  /**
   * At rest nothing is on its way, so what is not there is missing: each stage where it is says so.
   */
  private static void requireMissing(ShownPage page, ScriptedJob job) throws Exception {
    long seconds =
        job.goOn(
            Map.of(
                "Source__rings.numBytesIn", 5L * 64,
                "Rules.packets", -2L,
                "Packets.rule.mail.packetsLeftOut", -4L,
                "Kafka__packets__Writer.packetsPacked", -3L));
    long read = seconds * EveryStage.PACKETS;
    long sampled = 3_000 * seconds;
    long packed = 900 * seconds;
    ShownVerdict verdict = new ShownVerdict(page);
    verdict.await("bad");
    verdict.require(
        "bad",
        "NOT BALANCED: "
            + String.join(
                "; ",
                apart("read from rings", read + 5, "sent on by the source", read, "5 missing"),
                apart("sent on by the source", read, "given a rule", read - 2, "2 missing"),
                apart("given a rule", read - 2, "counted by rule", read, "2 too many"),
                apart("to be sampled", sampled, "chosen + left out", sampled - 4, "4 missing"),
                apart("to be packed", packed, "in messages", packed - 3, "3 missing")),
        "source",
        "rules",
        "Packets",
        "kafka-packets");
  }

  private static String apart(
      String name, long count, String otherName, long otherCount, String difference) {
    return "%s %s, but %s %s: %s"
        .formatted(name, number(count), otherName, number(otherCount), difference);
  }
}
