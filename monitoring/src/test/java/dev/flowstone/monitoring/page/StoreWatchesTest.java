// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.flowstone.monitoring.ClusterView.Job;
import dev.flowstone.monitoring.stats.Account;
import dev.flowstone.monitoring.stats.OperatorCounters;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is made of QuestDB's answers. */
class StoreWatchesTest {
  private static final List<String> ALERT =
      List.of("time", "state", "id", "detector", "subject", "limit", "peak", "observed");

  private static final List<String> HISTOGRAM =
      List.of("rule", "begin_ns", "end_ns", "overflow", "max", "histogram");

  private static final List<String> STAGE =
      List.of(
          "rule",
          "job",
          "stage",
          "subtask",
          "taprings",
          "ring",
          "group",
          "packets",
          "packets_dropped",
          "packets_of_rule",
          "packets_consumed",
          "packets_lost",
          "since_ns",
          "last");

  private static final long SECOND_NS = 1_000_000_000;

  private static final Job JOB = new Job("a", "the job", "FINISHED", 1_000_000);

  private ScriptedStore store;
  private String shown = "wire";

  @BeforeEach
  void begin() throws IOException {
    store = new ScriptedStore();
  }

  @AfterEach
  void end() {
    store.close();
  }

  @Test
  void shouldHaveNothingWhileNobodyHasWritten() throws Exception {
    assertThat(new AlertsWatch(store.client(), () -> "").look().alerts()).isEmpty();
    assertThat(new GapsWatch(store.client(), () -> "").look()).isZero();
    assertThat(new ReportedStages(store.client()).of(JOB, 0)).isEmpty();
  }

  /** Nobody's alerts are no answer while it is not known whose are asked for. */
  @Test
  void shouldNotAskWhileNoJobIsKnown() {
    ShownJob unknown =
        () -> {
          throw new IOException("not known of which job");
        };
    assertThatThrownBy(() -> new AlertsWatch(store.client(), unknown).look())
        .hasMessage("not known of which job");
    assertThatThrownBy(() -> new GapsWatch(store.client(), unknown).look())
        .hasMessage("not known of which job");
    assertThat(store.asked()).isEmpty();
  }

  @Test
  void shouldSayThatNobodyAnswers() {
    QuestDb nobody = new QuestDb("http://127.0.0.1:1", QuestDbLogin.NONE);
    assertThatThrownBy(() -> new AlertsWatch(nobody, () -> "").look())
        .isInstanceOf(IOException.class)
        .hasMessage("no QuestDB answers at http://127.0.0.1:1");
  }

  @Test
  void shouldLogInAndSayWhoIsNotLetIn() throws Exception {
    store.answer("SELECT 1", List.of("one"), List.of(List.of(1)));
    // What "admin:quest" is by RFC 7617.
    store.letInWhoSays("Basic YWRtaW46cXVlc3Q=");
    assertThat(store.client(QuestDbLogin.withPassword("admin", "quest")).rows("SELECT 1"))
        .hasSize(1);
    for (QuestDbLogin other :
        List.of(QuestDbLogin.NONE, QuestDbLogin.withPassword("admin", "quiz"))) {
      assertThatThrownBy(() -> store.client(other).rows("SELECT 1"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("(status 401): check --questdb-user and --questdb-password-file");
    }
    store.letInWhoSays("Bearer 7-of-9");
    assertThat(store.client(QuestDbLogin.withToken("7-of-9")).rows("SELECT 1")).hasSize(1);
  }

  /** Which news is the latest QuestDB finds out itself. */
  @Test
  void shouldTellOfTheNewestAlertsFirstAndOfTheGravestOfOneMoment() throws Exception {
    store.answer(
        "FROM alert WHERE job = 'the wire''s' LATEST ON time PARTITION BY id)",
        ALERT,
        List.of(
            List.of("2026-01-01T00:00:07.000000Z", "updated", "c", "rst_flood", "z", 10, 20, 20),
            List.of("2026-01-01T00:00:09.000000Z", "closed", "a", "syn_flood", "x", 10, 70, 1),
            List.of("2026-01-01T00:00:09.000000Z", "opened", "b", "port_scan", "y", 10, 90, 90)));
    AlertsWatch.View view = new AlertsWatch(store.client(), () -> "the wire's").look();
    assertThat(view.alerts())
        .extracting(AlertsWatch.Alert::id, AlertsWatch.Alert::state, AlertsWatch.Alert::timesLimit)
        .containsExactly(
            tuple("b", "opened", 9.0), tuple("a", "closed", 7.0), tuple("c", "updated", 2.0));
    assertThat(view.isCut()).isFalse();
  }

  @Test
  void shouldSayThatThereAreMoreAlertsThanItTells() throws Exception {
    List<Object> alert =
        List.of("2026-01-01T00:00:09.000000Z", "opened", "b", "port_scan", "y", 10, 90, 90);
    AlertsWatch watch = new AlertsWatch(store.client(), () -> "wire");
    store.answer("FROM alert", ALERT, Collections.nCopies(AlertsWatch.MOST, alert));
    assertThat(watch.look().isCut()).isFalse();
    assertThat(store.asked().getLast()).endsWith("LIMIT " + (AlertsWatch.MOST + 1));
    store.answer("FROM alert", ALERT, Collections.nCopies(AlertsWatch.MOST + 1, alert));
    assertThat(watch.look().isCut()).isTrue();
    assertThat(watch.look().alerts()).hasSize(AlertsWatch.MOST);
  }

  private static List<Object> gaps(String rule, long second, long... values) {
    Histogram histogram = new Histogram(10, SECOND_NS, 1);
    Arrays.stream(values).forEach(histogram::recordValue);
    ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(bytes);
    String text = Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
    return List.of(rule, (second - 1) * SECOND_NS, second * SECOND_NS, 0, 1_000, text);
  }

  private static List<GapColumn.View> since(GapsWatch watch, long revision) {
    return watch.news(_ -> revision).columns();
  }

  private void answerGaps(String latest, List<List<Object>> rows) {
    String job = "AND job = '" + shown + "'";
    store.answer(job + " ORDER BY time DESC", List.of("time"), List.of(List.of(latest)));
    store.answer(job + " AND time >", HISTOGRAM, rows);
  }

  @Test
  void shouldTellOnlyWhatIsNew() throws Exception {
    GapsWatch watch = new GapsWatch(store.client(), () -> shown);
    answerGaps(
        "1970-01-01T00:01:41.000000Z", List.of(gaps("web", 100, 500), gaps("web", 101, 500)));
    assertThat(watch.look()).isEqualTo(1);
    assertThat(since(watch, 0)).hasSize(2);
    assertThat(since(watch, 1)).isEmpty();

    // The interval before got a late part, another one has come.
    answerGaps(
        "1970-01-01T00:01:42.000000Z",
        List.of(gaps("web", 101, 500), gaps("web", 101, 700), gaps("web", 102, 500)));
    assertThat(watch.look()).isEqualTo(2);
    assertThat(since(watch, 1)).extracting(GapColumn.View::count).containsExactly(2L, 1L);
    assertThat(watch.look()).isEqualTo(2);
    // The end alone is asked for again.
    assertThat(store.asked().getLast()).contains("time > '1970-01-01T00:01:32Z'");
  }

  @Test
  void shouldForgetWhatIsLongAgo() throws Exception {
    GapsWatch watch = new GapsWatch(store.client(), () -> shown);
    answerGaps("1970-01-01T00:01:40.000000Z", List.of(gaps("web", 100, 500)));
    watch.look();
    answerGaps("1970-01-01T01:00:00.000000Z", List.of(gaps("web", 3_600, 500)));
    watch.look();
    assertThat(since(watch, 0)).extracting(GapColumn.View::endMs).containsExactly(3_600_000L);
  }

  /** What is of an interval that did not come whole is no correction of what is known of it. */
  @Test
  void shouldLeaveOutAnIntervalOfWhichAPartMayBeMissing() throws Exception {
    GapsWatch watch = new GapsWatch(store.client(), () -> shown);
    answerGaps(
        "1970-01-01T00:01:40.000000Z", List.of(gaps("web", 100, 500), gaps("web", 100, 500)));
    watch.look();
    assertThat(watch.news(_ -> 0).problem()).isEmpty();

    List<List<Object>> rows = new ArrayList<>(List.of(gaps("web", 100, 500)));
    rows.addAll(Collections.nCopies(GapsWatch.MOST - 1, gaps("web", 101, 500)));
    answerGaps("1970-01-01T00:01:41.000000Z", rows);
    watch.look();
    assertThat(since(watch, 0))
        .extracting(GapColumn.View::count)
        .containsExactly(2L, GapsWatch.MOST - 1L);
    assertThat(watch.news(_ -> 0).problem().orElseThrow())
        .contains("10,000 rows", "what is older than 1970-01-01T00:01:40Z may be missing");

    // What is missing is not there because the end alone is asked for again.
    answerGaps("1970-01-01T00:01:42.000000Z", List.of(gaps("web", 102, 500)));
    watch.look();
    assertThat(watch.news(_ -> 0).problem()).isPresent();
    answerGaps("1970-01-01T00:06:40.000000Z", List.of(gaps("web", 400, 500)));
    watch.look();
    assertThat(watch.news(_ -> 0).problem()).isEmpty();
  }

  @Test
  void shouldBeginAnewWithTheJobThatIsShown() throws Exception {
    GapsWatch watch = new GapsWatch(store.client(), () -> shown);
    answerGaps("1970-01-01T00:01:40.000000Z", List.of(gaps("web", 100, 500)));
    watch.look();
    long jobs = watch.news(_ -> 0).jobs();
    shown = "another";
    answerGaps("1970-01-01T00:01:39.000000Z", List.of(gaps("dns", 99, 500)));
    watch.look();
    assertThat(since(watch, 0)).extracting(GapColumn.View::rule).containsExactly("dns");
    assertThat(watch.news(_ -> 0).jobs()).isEqualTo(jobs + 1);
  }

  private static List<Object> stage(String rule, String stage, int subtask, Object... more) {
    return Stream.concat(Stream.of(rule, "the job", stage, "" + subtask), Stream.of(more)).toList();
  }

  /** Of each subtask and rule what was told last adds up, as Flink's REST interface has it. */
  @Test
  void shouldReadTheLastReportsAsIfFlinkToldThem() throws Exception {
    store.answer(
        "FROM stage",
        STAGE,
        List.of(
            stage("*", "Source: rings", 0, "tap", "0", "", "", "", "", 40, 2),
            stage("*", "Source: rings", 1, "tap", "1", "", "", "", "", 60, 0),
            stage("*", "Rules", 0, "", "", "", 40, 5, "", "", ""),
            stage("*", "Rules", 1, "", "", "", 60, 5, "", "", ""),
            stage("pings", "Rules", 0, "", "", "", "", "", 10, "", ""),
            stage("a.b", "Rules", 1, "", "", "", "", "", 90, "", ""),
            stage("*", "Rules", 1, "", "", "user", 7, 7, "", "", "")));
    List<OperatorCounters> stages = new ReportedStages(store.client()).of(JOB, 0);
    assertThat(stages)
        .extracting(OperatorCounters::title)
        .containsExactly("Source: rings", "Rules");
    assertThat(stages.getLast().byRule("packetsOfRule"))
        .containsOnly(Map.entry("pings", 10L), Map.entry("a_b", 90L));
    assertThat(new Account(stages).pairs())
        .isNotEmpty()
        .filteredOn(pair -> !pair.name().startsWith("of rules"))
        .allMatch(Account.Pair::isEqual);
    assertThat(new Account(stages).equation()).startsWith("read 100");
  }

  /** It was started again, and reads another ring since; the other subtask went on. */
  @Test
  void shouldReadWhatTheLatestAttemptOfASubtaskReported() throws Exception {
    store.answer(
        "FROM stage",
        STAGE,
        List.of(
            stage("*", "Source: rings", 0, "tap", "0", "", "", "", "", 40, 2, 1_000, 1),
            stage("*", "Source: rings", 0, "tap", "1", "", "", "", "", 7, 0, 2_000, 1),
            stage("*", "Source: rings", 1, "tap", "0", "", "", "", "", 60, 0, 1_500, 1)));
    List<OperatorCounters> stages = new ReportedStages(store.client()).of(JOB, 0);
    assertThat(new Account(stages).equation()).startsWith("read 67");
  }

  /** Rows are seen a while after they were written: one answer may be of before the end. */
  @Test
  void shouldTakeReportsForWholeWhenTheyAreTheLastAndStillTheSameLater() throws Exception {
    ReportedStages reports = new ReportedStages(store.client());
    store.answer(
        "FROM stage",
        STAGE,
        List.of(stage("web", "Rules", 0, "", "", "", "", "", 39, "", "", 1_000, "")));
    reports.of(JOB, 0);
    store.answer(
        "FROM stage",
        STAGE,
        List.of(stage("web", "Rules", 0, "", "", "", "", "", 40, "", "", 1_000, 1)));
    long laterNs = ReportedStages.SETTLED.toNanos() + 1;
    reports.of(JOB, laterNs);
    assertThat(reports.areWhole()).isFalse();
    reports.of(JOB, 2 * laterNs - 1);
    assertThat(reports.areWhole()).isFalse();
    reports.of(JOB, 2 * laterNs);
    assertThat(reports.areWhole()).isTrue();
  }

  /** An earlier job of that name told of itself; this one's rows are asked for until they rest. */
  @Test
  void shouldAskForTheReportsOfThatRunAloneAndNotForEver() throws Exception {
    ReportedStages reports = new ReportedStages(store.client());
    assertThat(reports.of(JOB, 0)).isEmpty();
    assertThat(store.asked().getLast())
        .contains("job = 'the job'")
        .contains("time >= '1970-01-01T00:16:38Z' AND since_ns >= 998000000000 ");
    store.answer(
        "FROM stage", STAGE, List.of(stage("web", "Rules", 0, "", "", "", "", "", 40, "", "")));
    List<OperatorCounters> told = reports.of(JOB, SECOND_NS);
    assertThat(told).hasSize(1);
    assertThat(reports.of(JOB, 2 * SECOND_NS)).isEqualTo(told);
    long settledNs = SECOND_NS + ReportedStages.SETTLED.toNanos() + 1;
    reports.of(JOB, settledNs);
    assertThat(reports.areWhole()).as("nobody said that it is the last").isFalse();
    int asked = store.asked().size();
    assertThat(reports.of(JOB, settledNs + 1)).isEqualTo(told);
    assertThat(store.asked()).hasSize(asked);
    // Of another job nothing is known, whatever it is called.
    reports.of(new Job("b", "the job", "FINISHED", 2_000_000), settledNs + 2);
    assertThat(store.asked()).hasSize(asked + 1);
  }
}
