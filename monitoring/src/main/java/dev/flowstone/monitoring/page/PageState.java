// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.flowstone.monitoring.ClusterView;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** All that the page shows, asked for where it is while somebody asks for it here. Any thread. */
final class PageState {
  private static final Duration OFTEN = Duration.ofMillis(900);

  private static final ObjectMapper JSON =
      JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();

  private final PagePlaces places;
  private final long sinceMs = System.currentTimeMillis();
  private final Incidents incidents = new Incidents();
  private final Refreshed<FlinkView> flink;
  private final Refreshed<RingsView> rings;
  private final Optional<Refreshed<AlertsWatch.View>> alerts;
  private final Optional<GapsWatch> gapsWatch;
  private final Optional<Refreshed<Long>> gaps;
  private final Optional<Refreshed<RulesWatch.View>> rules;

  PageState(PagePlaces places) {
    this.places = places;
    Optional<QuestDb> store = places.questDb().map(address -> new QuestDb(address, places.login()));
    FlinkWatch watch =
        new FlinkWatch(
            ClusterView.ofWeb(places.flink()),
            new ChosenJob(places.job()),
            store.map(ReportedStages::new),
            incidents,
            System::nanoTime);
    ShownJob job =
        () -> {
          awaitFlink();
          return watch
              .shownName()
              .orElseThrow(() -> new IOException("not known of which job: Flink has not answered"));
        };
    flink =
        new Refreshed<>(
            OFTEN, "Flink at " + places.flink() + " does not answer in time", watch::look);
    rings =
        new Refreshed<>(
            OFTEN,
            "the rings' headers cannot be read in time",
            new RingsWatch(places.rings(), incidents, System::nanoTime)::look);
    String silence = "QuestDB at " + places.questDb().orElse("") + " does not answer in time";
    alerts = store.map(db -> new Refreshed<>(OFTEN, silence, new AlertsWatch(db, job)::look));
    gapsWatch = store.map(db -> new GapsWatch(db, job));
    gaps = gapsWatch.map(each -> new Refreshed<>(OFTEN, silence, each::look));
    rules =
        places
            .rules()
            .map(
                file ->
                    new Refreshed<>(
                        OFTEN,
                        file + " cannot be read in time",
                        new RulesWatch(file, watch::rules)::look));
  }

  /** That nobody knows the job yet is no problem while Flink is asked for the first time. */
  private void awaitFlink() throws InterruptedException {
    flink.awaitFirst();
  }

  /** As the browser gets it; names are those of the JSON, in snake case. */
  private record View(
      long nowMs,
      String instance,
      Part<FlinkView> flink,
      Part<RingsView> rings,
      Part<AlertsWatch.View> alerts,
      Part<Gaps> gaps,
      Part<RulesWatch.View> rules,
      List<Incidents.Incident> incidents) {}

  /**
   * What one place tells.
   *
   * @param place where it is; null: nobody was named
   * @param value null: nothing is known so far
   * @param problem null: it is new
   */
  private record Part<T>(String place, T value, String problem, Long problemSinceMs) {
    static <T> Part<T> of(String place, Refreshed.Answer<T> answer) {
      return new Part<>(
          place,
          answer.value().orElse(null),
          answer.problem().orElse(null),
          answer.problem().isPresent() ? answer.problemSinceMs() : null);
    }

    static <T> Part<T> none() {
      return new Part<>(null, null, null, null);
    }
  }

  /**
   * @param revision of the newest of them
   * @param problems what is not among them
   */
  private record Gaps(
      long revision, int steps, long spanMs, List<GapColumn.View> columns, List<String> problems) {}

  /**
   * @param knownInstance of this class and its job that the asker has columns from
   * @param knownRevision of these
   */
  byte[] json(String knownInstance, long knownRevision) throws JsonProcessingException {
    // All at the same time.
    flink.prompt();
    rings.prompt();
    alerts.ifPresent(Refreshed::prompt);
    gaps.ifPresent(Refreshed::prompt);
    rules.ifPresent(Refreshed::prompt);
    Optional<Refreshed.Answer<Long>> looked = gaps.map(Refreshed::latest);
    Optional<GapsWatch.News> news =
        gapsWatch.map(
            // Columns of another job are nothing to add to.
            each -> each.news(jobs -> instance(jobs).equals(knownInstance) ? knownRevision : 0));
    Part<AlertsWatch.View> alertsPart =
        alerts
            .map(each -> Part.of(places.questDb().orElseThrow(), each.latest()))
            .orElseGet(Part::none);
    Part<RulesWatch.View> rulesPart =
        rules
            .map(each -> Part.of(places.rules().orElseThrow().toString(), each.latest()))
            .orElseGet(Part::none);
    // Flink last: no part has a problem of its not answering that it does not have itself.
    return JSON.writeValueAsBytes(
        new View(
            System.currentTimeMillis(),
            instance(news.map(GapsWatch.News::jobs).orElse(0L)),
            Part.of(places.flink(), flink.latest()),
            places.rings().isEmpty()
                ? Part.none()
                : Part.of(places.rings().getFirst().toString(), rings.latest()),
            alertsPart,
            news.map(each -> gaps(each, looked.orElseThrow())).orElseGet(Part::none),
            rulesPart,
            incidents.all()));
  }

  private String instance(long jobs) {
    return Long.toString(sinceMs + jobs);
  }

  private Part<Gaps> gaps(GapsWatch.News news, Refreshed.Answer<Long> looked) {
    return new Part<>(
        places.questDb().orElseThrow(),
        new Gaps(
            news.revision(),
            GapColumn.STEPS,
            GapsWatch.SPAN.toMillis(),
            news.columns(),
            news.problem().stream().toList()),
        looked.problem().orElse(null),
        looked.problem().isPresent() ? looked.problemSinceMs() : null);
  }
}
