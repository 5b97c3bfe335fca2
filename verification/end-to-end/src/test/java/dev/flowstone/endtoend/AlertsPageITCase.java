// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flowstone.monitoring.TimelyHttp;
import dev.flowstone.monitoring.page.PagePlaces;
import dev.flowstone.monitoring.page.PageServer;
import dev.flowstone.questdb.process.QuestDbProcess;
import dev.flowstone.testbed.browser.Chromium;
import dev.flowstone.testbed.browser.ScriptedJob;
import dev.flowstone.testbed.browser.ShownPage;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which alerts the page shows of a QuestDB that has more news of them than it can show. */
@Timeout(180)
class AlertsPageITCase {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int MOST_SHOWN = 200;
  private static final String OPEN_LONG = "web/syn_flood/192.0.2.1/1";

  /** With what tells rows apart, as a job makes it. */
  private static final String TABLE =
      """
      CREATE TABLE alert (time TIMESTAMP_NS, rule SYMBOL, result_key VARCHAR, job SYMBOL, detector SYMBOL, subject SYMBOL,
        state VARCHAR, id VARCHAR, observed LONG, "limit" LONG, peak LONG, explanation VARCHAR)
      TIMESTAMP(time) PARTITION BY DAY WAL DEDUP UPSERT KEYS(time, rule, result_key)\
      """;

  private static final String SHOWN =
      "[...document.querySelectorAll('#alerts-list li')].map((each) => each.dataset.alert)";

  @TempDir private Path folder;

  @Test
  void shouldShowEachAlertHoweverMuchNewsThereIsOfOthersAndSayWhenItCannot() throws Exception {
    Chromium.require();
    try (QuestDbProcess questDb =
            QuestDbProcess.start(folder.resolve("questdb"), QuestDbProcess.ANY_PORT);
        ScriptedJob job = new ScriptedJob(Map.of());
        PageServer server = PageServer.bind(PageServer.LOCALHOST, 0)) {
      execute(questDb, TABLE);
      tell(questDb, "2026-01-01T00:00", "'opened'", "'" + OPEN_LONG + "'", 1);
      tell(questDb, "2026-01-01T01:00", "'updated'", "'busy'", 3_000);
      server.start(
          new PagePlaces(
              job.url(),
              Optional.empty(),
              Optional.of(questDb.address().toString()),
              List.of(),
              Optional.empty()));
      try (ShownPage page = ShownPage.open(server.url())) {
        page.await(SHOWN + ".join() === 'busy," + OPEN_LONG + "'");
        assertThat(page.text("#alerts-notice")).isEmpty();
        tell(questDb, "2026-01-01T02:00", "'closed'", "'closed-' || x", MOST_SHOWN);
        page.await("!document.querySelector('#alerts-notice').hidden");
        requireOpenOnesAndTheNewest(page);
        assertThat(page.complaints()).isEmpty();
      }
    }
  }

  private static void requireOpenOnesAndTheNewest(ShownPage page) throws Exception {
    assertThat(page.text("#alerts-notice"))
        .isEqualTo(
            "There are more than these 200: left out is what was told of longest ago, closed alerts"
                + " before others.");
    assertThat(page.value(SHOWN))
        .extracting(JsonNode::asText)
        .hasSize(MOST_SHOWN)
        .startsWith("closed-200", "closed-199")
        .endsWith("closed-3", "busy", OPEN_LONG);
  }

  /**
   * So many news, one a second; which is of which alert, and says what of it, SQL says by {@code
   * x}.
   */
  private static void tell(QuestDbProcess questDb, String begin, String state, String id, int count)
      throws Exception {
    execute(
        questDb,
        """
        INSERT INTO alert
        SELECT dateadd('s', x::INT, '%s'::TIMESTAMP)::TIMESTAMP_NS, 'web', 'k' || x, '%s', 'syn_flood', '192.0.2.1', %s, %s,
          20, 10, 70, 'many'
        FROM long_sequence(%d)\
        """
            .formatted(begin, ScriptedJob.NAME, state, id, count));
  }

  private static void execute(QuestDbProcess questDb, String sql) throws Exception {
    HttpResponse<String> answer =
        new TimelyHttp(LIMIT)
            .get(questDb.address().resolve("/exec?query=" + URLEncoder.encode(sql, UTF_8)));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
  }
}
