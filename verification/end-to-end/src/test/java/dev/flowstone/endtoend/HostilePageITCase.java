// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.monitoring.page.PagePlaces;
import dev.flowstone.monitoring.page.PageServer;
import dev.flowstone.testbed.browser.Chromium;
import dev.flowstone.testbed.browser.ShownPage;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Names and words from a network are text to the page, wherever they stand. */
@Timeout(180)
class HostilePageITCase {
  /** Nobody listens there. */
  private static final String NO_FLINK = "http://127.0.0.1:1";

  /**
   * What somebody could send who wants to get into the page; the state has it in every text. The
   * page's own script asks for it, in place of what the server would tell.
   */
  private static final String TELL =
      """
      (() => {
        const evil = `<img src=x onerror="window.hacked = 1"><script>window.hacked = 1</script>`;
        const count = { count: 7, per_second: 7 };
        const of = (value) => ({ place: evil, value, problem: null, problem_since_ms: null });
        const stage = (kind) => ({ id: evil + kind, kind, title: evil, is_of_packets: true, is_balanced: true,
          in: count, out: count, made: count, left_out: [{ reason: evil, packets: count }], rings: [] });
        window.state = {
          now_ms: 1, instance: evil,
          flink: of({ job: { id: evil, name: evil, state: evil }, other_jobs: [], has_ended: false, is_reported: false, problems: [evil],
            running_ms: 1, restarts: 0, stages: ["SOURCE", "RULES", "CHOICE", "USER", "QUESTDB"].map(stage),
            pairs: [{ verdict: "APART", words: evil }], equation: evil,
            of_rules: { [evil]: count }, rules: { version: 1, waiting: 0, refused: 0, refused_since: 0 }, task_managers: [],
            failures: [{ time_ms: 1, reason: evil, task: evil, task_manager: evil }] }),
          rings: of({ problems: [evil], rings: [{ file: evil, ring: 0, tap: evil, offered: count, written: count, dropped: count,
            lost_before_tap: count, slots: 8, held: 1, is_ended: false, readers: [{ name: evil, mode: evil, state: evil,
              silent_ms: 1, holds_space: true, lag_slots: 1 }] }] }),
          rules: of({ standing: "IN_FORCE",
            words: [{ name: evil, priority: evil, packets: evil, kind: evil, function: evil, topic: evil }] }),
          alerts: of({ is_cut: true, alerts: [{ id: evil, time: "2026-01-01T00:00:00Z", state: evil, rule: evil, detector: evil,
            subject: evil, times_limit: 7, explanation: evil }] }),
          gaps: of({ revision: 1, steps: 10, span_ms: 60000, problems: [evil],
            columns: [{ rule: evil, begin_ms: 0, end_ms: 1000, count: 1, overflow: 0, max_ns: 9, bins: [20, 1] }] }),
          incidents: [{ key: evil, kind: "RING", begin_ms: 1, end_ms: 2, goes_on: true, text: evil }],
        };
        window.failure = evil;
        window.fetch = async () => ({ ok: window.state !== null, json: async () => window.state, text: async () => window.failure });
      })()\
      """;

  /** Where problems are, other parts show less: that comes after them. */
  private static final String TELL_PROBLEMS =
      """
      [state.flink, state.rings, state.rules, state.alerts].forEach((part) =>
        Object.assign(part, { problem: window.failure, problem_since_ms: 1 }));
      state.now_ms = 2\
      """;

  private static final String TELL_NOTHING = "window.state = null";

  /** By place: how often it is told there. */
  private static final String TOLD =
      """
      ((places) => places.map((place) =>
        document.querySelector(place).textContent.split('<img src=x onerror="window.hacked').length - 1))\
      """;

  /** Four parts that are not known, a ring that cannot be read, intervals that are not whole. */
  private static final String[] PROBLEMS =
      IntStream.rangeClosed(1, 6)
          .mapToObj("#problems li:nth-child(%d)"::formatted)
          .toArray(String[]::new);

  private static final String NO_MARKUP =
      "document.querySelectorAll(\"img[src='x'], body script\").length === 0 && !window.hacked";

  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void shouldBeTextWhateverIsTold() throws Exception {
    Chromium.require();
    try (PageServer server = PageServer.bind(PageServer.LOCALHOST, 0)) {
      server.start(
          new PagePlaces(
              NO_FLINK, Optional.empty(), Optional.empty(), List.of(), Optional.empty()));
      try (ShownPage page = ShownPage.open(server.url())) {
        page.value(TELL);
        page.await("document.body.dataset.shown === '1'");
        requireText(
            page,
            "#job",
            "#verdict",
            "#equation",
            "#problems",
            "#picture",
            "#gaps-rule",
            "#rules-rows",
            "#alerts-list",
            "#incidents-list");
        page.value(TELL_PROBLEMS);
        page.await("document.body.dataset.shown === '2'");
        requireText(page, PROBLEMS);
        page.value(TELL_NOTHING);
        page.await("document.querySelectorAll('#problems li').length === 1");
        requireText(page, "#problems li");
        assertThat(page.complaints()).isEmpty();
      }
    }
  }

  private static void requireText(ShownPage page, String... places) throws Exception {
    JsonNode told = page.value(TOLD + "(" + JSON.writeValueAsString(places) + ")");
    for (int i = 0; i < places.length; i++) {
      assertThat(told.get(i).asInt()).as(places[i]).isPositive();
    }
    assertThat(page.value(NO_MARKUP).asBoolean()).as("made of text: %s", List.of(places)).isTrue();
  }
}
