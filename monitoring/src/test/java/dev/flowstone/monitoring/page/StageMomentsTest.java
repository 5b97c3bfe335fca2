// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.monitoring.page.FlinkView.LeftOut;
import dev.flowstone.monitoring.page.FlinkView.Stage;
import dev.flowstone.monitoring.page.StageMoments.Moment;
import dev.flowstone.monitoring.page.StageMoments.Verdict;
import dev.flowstone.monitoring.stats.KnownStage;
import dev.flowstone.monitoring.stats.OperatorCounters;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StageMomentsTest {
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final long SECOND_NS = 1_000_000_000;

  private final StageMoments moments = new StageMoments();

  private static Moment moment(long runningMs, long read, long ruled, long dropped) {
    return new Moment(
        runningMs,
        0,
        OperatorCounters.known(
            OperatorCounters.ofTask(
                Map.of(
                    "Source__rings.numBytesIn", 64 * read,
                    "Source__rings.taprings.eth0.ring.0.packetsConsumed", read,
                    "Source__rings.taprings.eth0.ring.0.packetsLost", 3L,
                    "Rules.packets", ruled,
                    "Rules.rule.web.packetsOfRule", ruled,
                    "Rules.packetsDropped", dropped))));
  }

  private List<Stage> stages() {
    return new StageViews(moments, moments.seconds(INTERVAL), false).stages();
  }

  @Test
  void shouldTakeRatesFromFlinksOwnTime() {
    moments.take(moment(1_000, 1_000, 1_000, 10), 0);
    assertThat(stages().getFirst().in()).isEqualTo(new Count(1_000, null));

    moments.take(moment(3_000, 5_000, 5_000, 30), 2 * SECOND_NS);
    Stage source = stages().getFirst();
    Stage rules = stages().getLast();
    assertThat(source.in()).isEqualTo(new Count(5_000, 2_000L));
    assertThat(source.leftOut()).containsExactly(new LeftOut("lost in rings", new Count(3, 0L)));
    assertThat(source.rings().getFirst().name()).isEqualTo("eth0/0");
    assertThat(source.rings().getFirst().packets()).isEqualTo(new Count(5_000, 2_000L));
    assertThat(rules.kind()).isEqualTo(KnownStage.RULES);
    assertThat(rules.leftOut())
        .containsExactly(new LeftOut("by rules that drop", new Count(30, 10L)));
    assertThat(new StageViews(moments, 2, false).ofRules())
        .containsExactly(Map.entry("web", new Count(5_000, 2_000L)));
  }

  @Test
  void shouldTakeWhatFlinkSaysTwiceForOneMoment() {
    moments.take(moment(1_000, 1_000, 1_000, 0), 0);
    moments.take(moment(2_000, 3_000, 3_000, 0), SECOND_NS);
    moments.take(moment(2_000, 3_000, 3_000, 0), 2 * SECOND_NS);
    assertThat(stages().getFirst().in().perSecond()).isEqualTo(2_000);
  }

  @Test
  void shouldSayThatNothingMovesWhenFlinkHasNothingNewForLong() {
    moments.take(moment(1_000, 1_000, 1_000, 0), 0);
    for (int second = 1; second <= 5; second++) {
      moments.take(moment(2_000, 3_000, 3_000, 0), second * SECOND_NS);
      assertThat(stages().getFirst().in()).isEqualTo(new Count(3_000, 2_000L));
    }
    moments.take(moment(2_000, 3_000, 3_000, 0), 6 * SECOND_NS);
    assertThat(stages().getFirst().in()).isEqualTo(new Count(3_000, 0L));
  }

  /** Nobody had the page open: an average over that time is not how fast it is now. */
  @Test
  void shouldKnowNoRateAfterAPause() {
    moments.take(moment(1_000, 1_000, 1_000, 0), 0);
    moments.take(moment(61_000, 3_000, 3_000, 0), 60 * SECOND_NS);
    assertThat(stages().getFirst().in()).isEqualTo(new Count(3_000, null));
  }

  /** What Flink answers first may be what it knew before the pause. */
  @Test
  void shouldNotTakeItForRestThatNobodyLooked() {
    for (long pauseNs : new long[] {6 * SECOND_NS, 60 * SECOND_NS}) {
      moments.take(moment(1_000, 1_000, 1_000, 0), 0);
      moments.take(moment(2_000, 3_000, 2_900, 0), SECOND_NS);
      moments.take(moment(2_000, 3_000, 2_900, 0), SECOND_NS + pauseNs);
      assertThat(stages().getFirst().in()).isNotEqualTo(new Count(3_000, 0L));
      assertThat(moments.verdicts(moments.seconds(INTERVAL) == 0)).doesNotContain(Verdict.APART);
    }
  }

  @Test
  void shouldBeginAnewWhenTheJobDoes() {
    moments.take(moment(5_000, 9_000, 9_000, 0), 0);
    moments.take(moment(400, 9_500, 9_500, 0), SECOND_NS);
    assertThat(stages().getFirst().in()).isEqualTo(new Count(9_500, null));
  }

  /** It may have run for longer again than it had when somebody looked last. */
  @Test
  void shouldBeginAnewAfterARestartHoweverLongAgo() {
    moments.take(moment(2_000, 1_000, 1_000, 0), 0);
    Moment again = moment(5_000, 9_000, 9_000, 0);
    moments.take(new Moment(again.runningMs(), 1, again.operators()), 9 * SECOND_NS);
    assertThat(stages().getFirst().in()).isEqualTo(new Count(9_000, null));
  }

  @Test
  void shouldNotTakeItForRestThatNoMomentCouldBeHad() {
    moments.take(moment(1_000, 1_000, 1_000, 0), 0);
    moments.take(moment(2_000, 3_000, 3_000, 0), SECOND_NS);
    moments.takeMixed(moment(9_000, 9_000, 1_000, 0), 9 * SECOND_NS);
    assertThat(stages().getFirst().in()).isEqualTo(new Count(3_000, 2_000L));
    moments.takeMixed(moment(9_000, 9_000, 1_000, 0), 19 * SECOND_NS);
    assertThat(stages().getFirst().in()).isEqualTo(new Count(9_000, null));
    assertThat(moments.verdicts(false)).doesNotContain(Verdict.APART);
  }

  @Test
  void shouldSeeThatNothingMovesWhereNoMomentCanBeHad() {
    moments.takeMixed(moment(2_000, 3_000, 3_000, 0), 0);
    moments.takeMixed(moment(4_000, 3_000, 3_000, 0), 2 * SECOND_NS);
    assertThat(stages().getFirst().in()).isEqualTo(new Count(3_000, null));
    moments.takeMixed(moment(6_000, 3_000, 3_000, 0), 4 * SECOND_NS);
    assertThat(stages().getFirst().in()).isEqualTo(new Count(3_000, 0L));
    moments.takeMixed(moment(8_000, 4_000, 3_000, 0), 6 * SECOND_NS);
    assertThat(stages().getFirst().in().count()).isEqualTo(3_000);
  }

  @Test
  void shouldTellPacketsOnTheirWayFromMissingOnes() {
    moments.take(moment(1_000, 1_000, 1_000, 0), 0);
    moments.take(moment(2_000, 3_000, 2_900, 0), SECOND_NS);
    assertThat(moments.verdicts(false)).contains(Verdict.ON_THE_WAY).doesNotContain(Verdict.APART);

    moments.take(moment(3_000, 5_000, 2_950, 0), 2 * SECOND_NS);
    assertThat(moments.verdicts(false)).contains(Verdict.APART);
    assertThat(stages().getLast().isBalanced()).isFalse();
    assertThat(stages().getFirst().isBalanced()).isTrue();
  }

  @Test
  void shouldExpectEveryPacketWhereNothingMoves() {
    moments.take(moment(1_000, 1_000, 1_000, 0), 0);
    moments.take(moment(2_000, 3_000, 2_999, 0), SECOND_NS);
    assertThat(moments.verdicts(true)).contains(Verdict.APART);
  }
}
