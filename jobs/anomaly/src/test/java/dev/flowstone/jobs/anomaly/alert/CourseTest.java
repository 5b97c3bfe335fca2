// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.flowstone.jobs.anomaly.alert.Alert.State;
import dev.flowstone.jobs.anomaly.pane.Pane;
import dev.flowstone.jobs.anomaly.pane.Spot;
import dev.flowstone.jobs.anomaly.pane.Terms;
import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.Detector.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CourseTest {
  private static final long SECOND = 1_000_000_000;

  private Course course = Course.NEW;
  private long pane = 1_000;

  private static Terms terms(
      int panes, long threshold, int times, long halfLifeSeconds, int least) {
    return new Terms(
        RuleTag.of("test"),
        "udp_flood",
        Kind.UDP_FLOOD,
        SECOND,
        panes,
        threshold,
        Terms.NO_PREFIX,
        times,
        halfLifeSeconds * SECOND,
        least);
  }

  private Pane pane(long packets, long completed) {
    Spot spot = new Spot(pane * SECOND, 1, pane);
    return new Pane(
        packets, 60 * packets, packets, completed, new byte[0], new long[0], spot, spot);
  }

  /** Of windows that are a pane each. */
  private Course.Verdict next(Terms terms, long packets, long completed) {
    Pane window = pane(packets, completed);
    Course.Verdict verdict = course.judge(terms, pane++, window, packets == 0 ? null : window);
    course = verdict.next();
    return verdict;
  }

  private List<State> told(Terms terms, long... packets) {
    List<State> told = new ArrayList<>();
    for (long each : packets) {
      told.add(next(terms, each, 0).told());
    }
    return told;
  }

  @Test
  void shouldOpenAboveTheThresholdAndCloseWhereAWindowIsNot() {
    assertThat(told(terms(1, 10, 0, 0, 0), 10, 11, 12, 10, 9, 11))
        .containsExactly(null, State.OPENED, State.UPDATED, State.CLOSED, null, State.OPENED);
  }

  @Test
  void shouldCloseOverlappingWindowsWhenAWholeOneWasQuiet() {
    assertThat(told(terms(3, 10, 0, 0, 0), 11, 5, 5, 11, 5, 5, 5, 5))
        .containsExactly(State.OPENED, null, null, State.UPDATED, null, null, State.CLOSED, null);
  }

  @Test
  void shouldSayWhatWasSeenSinceItOpened() {
    Terms terms = terms(1, 10, 0, 0, 0);
    told(terms, 11, 30, 12);
    Course during = next(terms, 3, 0).during();

    assertThat(during.attack().packets()).isEqualTo(53);
    assertThat(during.attack().first().position()).isEqualTo(1_000);
    assertThat(during.attack().last().position()).isEqualTo(1_002);
    assertThat(during.peak()).isEqualTo(30);
    assertThat(during.windows()).isEqualTo(3);
    assertThat(during.openedPane()).isEqualTo(1_000);
    assertThat(course.attack()).isNull();
  }

  @Test
  void shouldLearnWhatIsUsual() {
    Terms terms = terms(1, 10, 3, 10, 0);
    // What a subject always has is told at first, for nobody knows that yet.
    assertThat(next(terms, 100, 0).told()).isEqualTo(State.OPENED);
    for (int i = 0; i < 200; i++) {
      next(terms, 100, 0);
    }
    assertThat(course.isOpen()).isFalse();
    assertThat(course.mean()).isCloseTo(100, within(1.0));

    Course.Verdict burst = next(terms, 299, 0);
    assertThat(burst.told()).as("not three times the usual").isNull();
    assertThat(burst.limit()).isBetween(297L, 300L);
    assertThat(next(terms, 400, 0).told()).isEqualTo(State.OPENED);
  }

  @Test
  void shouldForgetByHalfLives() {
    Terms terms = terms(1, 10, 2, 10, 0);
    for (int i = 0; i < 300; i++) {
      next(terms, 80, 0);
    }
    pane += 10;
    double usual = course.judge(terms, pane, pane(1, 0), null).usual();
    assertThat(usual).isCloseTo(course.mean() / 2, within(0.01));

    // Twice 80 is four half-lives above 10.
    assertThat(course.forgottenAfter(terms) - course.meanPane()).isBetween(40L, 42L);
    long forgotten = course.forgottenAfter(terms);
    assertThat(course.judge(terms, forgotten + 1, pane(1, 0), null).usual()).isZero();
    assertThat(course.judge(terms, forgotten - 3, pane(1, 0), null).usual()).isPositive();
  }

  @Test
  void shouldLearnFromAnAttackNoMoreThanFromTheLimit() {
    Terms terms = terms(1, 100, 2, 1, 0);
    next(terms, 1_000_000, 0);

    assertThat(course.mean()).isCloseTo(50, within(0.01));
  }

  @Test
  void shouldLetAloneWhereEnoughHandshakesAreCompleted() {
    Terms terms = terms(1, 10, 0, 0, 50);
    assertThat(next(terms, 100, 50).told()).isNull();
    assertThat(next(terms, 100, 49).told()).isEqualTo(State.OPENED);
    assertThat(next(terms, 100, 80).told()).isEqualTo(State.CLOSED);
  }
}
