// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.monitoring.page.FlinkView.Pair;
import dev.flowstone.monitoring.page.FlinkView.Stage;
import dev.flowstone.monitoring.page.StageMoments.Verdict;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is made of Flink's answers. */
class FlinkWatchTest {
  private final Incidents incidents = new Incidents();
  private ScriptedFlink flink;
  private FlinkWatch watch;
  private long nowNs;

  @BeforeEach
  void begin() throws IOException {
    flink = new ScriptedFlink();
    watch = watch(Optional.empty());
    flink.haveJob("a", "RUNNING");
  }

  @AfterEach
  void end() {
    flink.close();
  }

  private FlinkWatch watch(Optional<ReportedStages> reports) {
    return new FlinkWatch(
        flink.client(), new ChosenJob(Optional.empty()), reports, incidents, () -> nowNs);
  }

  private static List<Long> packets(FlinkView view) {
    return view.stages().stream().map(Stage::in).map(Count::count).toList();
  }

  /** Any question may have Flink ask its processes again. */
  @Test
  void shouldNotMixTwoMoments() throws Exception {
    flink.count(1_000, 10);
    flink.afterSource(() -> flink.count(2_000, 90));
    assertThat(packets(watch.look())).containsExactly(90L, 90L);
    flink.afterSource(() -> flink.count(3_000, 170));
    FlinkView view = watch.look();
    assertThat(packets(view)).containsExactly(170L, 170L);
    assertThat(view.stages().getFirst().in().perSecond()).isEqualTo(80);
    assertThat(view.pairs()).extracting(Pair::verdict).containsOnly(Verdict.EQUAL);
  }

  /** A slow cluster has new counters before many questions are answered. */
  @Test
  void shouldAskNoMoreThanTwoQuestionsForATask() throws Exception {
    flink.tellOfRules(3, 0, 0);
    watch.look();
    flink.questions();
    watch.look();
    assertThat(flink.questions())
        .filteredOn(asked -> asked.contains("/vertices/"))
        .hasSize(5)
        .filteredOn(asked -> asked.contains("/subtasks/"))
        .hasSize(4);
  }

  @Test
  void shouldTellOfRulesOnlyWhatItHasSeenHappen() throws Exception {
    flink.count(1_000, 10);
    flink.tellOfRules(3, 0, 2);
    assertThat(watch.look().rules()).isEqualTo(new RulesCourse.View(3, 0, 2, null));
    assertThat(incidents.all()).isEmpty();

    flink.tellOfRules(3, 0, 3);
    assertThat(watch.look().rules()).isEqualTo(new RulesCourse.View(3, 0, 3, 1L));
    assertThat(incidents.all()).extracting(Incidents.Incident::text).hasSize(1);
    flink.tellOfRules(3, 1, 3);
    assertThat(watch.look().rules().waiting()).isEqualTo(1);
    assertThat(incidents.all().getFirst().text())
        .startsWith("new rules wait for what they need, version 3 stays in force");
    flink.tellOfRules(4, 0, 3);
    assertThat(watch.look().rules()).isEqualTo(new RulesCourse.View(4, 0, 3, 0L));
    assertThat(incidents.all().getFirst().text()).isEqualTo("rules, version 4, are in force");

    // Those of another job are none that came.
    flink.haveJob("b", "RUNNING");
    flink.tellOfRules(9, 9, 9);
    assertThat(watch.look().rules()).isEqualTo(new RulesCourse.View(9, 9, 9, null));
    assertThat(incidents.all()).hasSize(3);
  }

  /** One that comes back between two looks has another address, but its name. */
  @Test
  void shouldTellOfATaskManagerThatTookThePlaceOfAnother() throws Exception {
    flink.haveTaskManager("taskmanager-1", "localhost:1111");
    watch.look();
    watch.look();
    assertThat(incidents.all()).isEmpty();
    flink.haveTaskManager("taskmanager-1", "localhost:2222");
    watch.look();
    watch.look();
    assertThat(incidents.all())
        .extracting(Incidents.Incident::text)
        .containsExactly("TaskManager taskmanager-1 has come", "TaskManager taskmanager-1 is gone");
  }

  @Test
  void shouldForgetAJobThatIsNotThereAnyMore() throws Exception {
    assertThat(watch.shownName()).isEmpty();
    flink.count(1_000, 10);
    assertThat(watch.look().stages()).hasSize(2);
    assertThat(watch.shownName()).contains("the job");
    flink.haveNoJob();
    FlinkView view = watch.look();
    assertThat(view.job()).isNull();
    assertThat(view.stages()).isEmpty();
    assertThat(watch.shownName()).contains("");
  }

  private FlinkView lookLater() throws Exception {
    nowNs += ReportedStages.SETTLED.toNanos() + 1;
    return watch.look();
  }

  /** As of a job whose rules were given one packet less than its source had read. */
  private static void report(ScriptedStore store, Object last) {
    store.answer(
        "FROM stage",
        List.of(
            "rule",
            "stage",
            "taprings",
            "ring",
            "packets",
            "packets_of_rule",
            "packets_consumed",
            "last"),
        List.of(
            List.of("*", "Source: rings", "tap", "0", "", "", 100, last),
            List.of("*", "Rules", "", "", 99, "", "", last),
            List.of("web", "Rules", "", "", "", 99, "", last)));
  }

  /** One that is cancelled, or stopped with a savepoint, reported last while packets moved. */
  @Test
  void shouldExpectEveryPacketOnlyInReportsOfTheEnd() throws Exception {
    try (ScriptedStore store = new ScriptedStore()) {
      report(store, "");
      watch = watch(Optional.of(new ReportedStages(store.client())));
      flink.haveJob("a", "FINISHED");
      watch.look();
      FlinkView stopped = lookLater();
      assertThat(stopped.isReported()).isTrue();
      assertThat(stopped.pairs())
          .extracting(Pair::verdict)
          .contains(Verdict.ON_THE_WAY)
          .doesNotContain(Verdict.APART);
    }
    try (ScriptedStore store = new ScriptedStore()) {
      report(store, 1);
      watch = watch(Optional.of(new ReportedStages(store.client())));
      assertThat(watch.look().pairs()).extracting(Pair::verdict).doesNotContain(Verdict.APART);
      assertThat(lookLater().pairs()).extracting(Pair::verdict).contains(Verdict.APART);
    }
  }
}
