// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.flowstone.monitoring.TimelyHttp;
import dev.flowstone.monitoring.page.PagePlaces;
import dev.flowstone.monitoring.page.PageServer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The page of a cluster's job, asked for what it tells, and looked at where there is a browser. Its
 * maker closes it.
 */
public final class ToldByPage implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(20);
  private static final long LOOK_INTERVAL_MS = 500;
  private static final String RESTARTS = "/flink/value/restarts";
  private static final Pattern SHOWN_RESTARTS = Pattern.compile("started again (\\d+) times?\\b");

  private final TimelyHttp http = new TimelyHttp(ANSWER_LIMIT);
  private final String url;
  private final Optional<PageServer> server;

  /**
   * @param flink web address of the cluster
   */
  public ToldByPage(String flink, Path rings) throws IOException {
    PageServer ours = PageServer.bind(PageServer.LOCALHOST, 0);
    ours.start(
        new PagePlaces(
            flink, Optional.empty(), Optional.empty(), List.of(rings), Optional.empty()));
    url = ours.url();
    server = Optional.of(ours);
  }

  private ToldByPage(String url) {
    this.url = url;
    server = Optional.empty();
  }

  /** One that somebody else serves. */
  public static ToldByPage at(String url) {
    return new ToldByPage(url);
  }

  /** Missing: it could not tell, and may a moment later. */
  public JsonNode state() throws InterruptedException {
    try {
      HttpResponse<String> answer = http.get(URI.create(url).resolve("/api/state"));
      return answer.statusCode() == HttpURLConnection.HTTP_OK
          ? new ObjectMapper().readTree(answer.body())
          : MissingNode.getInstance();
    } catch (IOException late) {
      return MissingNode.getInstance();
    }
  }

  /** Returns when it knows the cluster's TaskManagers and the job's stages. */
  public void awaitStages(int taskManagers) throws Exception {
    await(
        state ->
            state.at("/flink/value/task_managers").size() == taskManagers
                && !state.at("/flink/value/stages").isEmpty());
  }

  /**
   * Returns when it has told that a TaskManager went, another came, and why tasks were started
   * again, each with its time.
   *
   * @param deathMs when the TaskManager was killed
   */
  public void awaitRestart(long deathMs) throws Exception {
    JsonNode state =
        await(
            told ->
                told.at(RESTARTS).asLong() > 0
                    && !told.at("/flink/value/failures").isEmpty()
                    && told.at("/incidents").findValuesAsText("text").stream()
                        .anyMatch(text -> text.endsWith("has come")));
    assertThat(state.at("/incidents").findValuesAsText("text"))
        .anySatisfy(text -> assertThat(text).startsWith("TaskManager ").endsWith("is gone"));
    assertThat(state.at("/flink/value/failures"))
        .allSatisfy(
            failure ->
                assertThat(failure.path("time_ms").asLong())
                    .isBetween(deathMs, System.currentTimeMillis()))
        .anySatisfy(
            failure ->
                assertThat(failure.path("reason").asText()).containsIgnoringCase("TaskManager"));
    assertThat(state.at("/incidents").findValues("begin_ms"))
        .allSatisfy(
            begin -> assertThat(begin.asLong()).isBetween(deathMs, System.currentTimeMillis()));
    if (Chromium.isThere()) {
      requireShownRestart();
    }
  }

  private void requireShownRestart() throws Exception {
    try (ShownPage page = ShownPage.open(url)) {
      page.await("document.querySelector('[data-incident=\"FAILURE\"]') !== null");
      assertThat(page.text("#incidents"))
          .containsPattern("\\d\\d:\\d\\d:\\d\\d\\s+TaskManager\\s+TaskManager \\S+ is gone")
          .containsPattern("\\d\\d:\\d\\d:\\d\\d\\s+TaskManager\\s+TaskManager \\S+ has come")
          .containsPattern(
              "\\d\\d:\\d\\d:\\d\\d\\s+restart\\s+Flink started tasks again: .*(?i:taskmanager)");
      requireShownCount(page);
      assertThat(page.complaints()).isEmpty();
    }
  }

  /** Flink may start tasks once more on a TaskManager whose death it has not noticed yet. */
  private void requireShownCount(ShownPage page) throws Exception {
    long before = await(told -> told.at(RESTARTS).asLong() > 0).at(RESTARTS).asLong();
    String job = page.text("#job");
    Matcher shown = SHOWN_RESTARTS.matcher(job);
    assertThat(shown.find()).as(job).isTrue();
    long after = await(told -> told.at(RESTARTS).asLong() > 0).at(RESTARTS).asLong();
    assertThat(Long.parseLong(shown.group(1))).as(job).isBetween(before, after);
  }

  private JsonNode await(Predicate<JsonNode> told) throws Exception {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    JsonNode state = state();
    while (!told.test(state)) {
      assertThat(System.nanoTime() - deadlineNs).as("%s", state).isNegative();
      Thread.sleep(LOOK_INTERVAL_MS);
      state = state();
    }
    return state;
  }

  @Override
  public void close() {
    server.ifPresent(PageServer::close);
  }
}
