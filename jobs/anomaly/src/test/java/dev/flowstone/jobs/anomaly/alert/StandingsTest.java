// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.jobs.anomaly.pane.Pane;
import dev.flowstone.jobs.anomaly.pane.Spot;
import dev.flowstone.jobs.anomaly.pane.Subject;
import dev.flowstone.jobs.anomaly.pane.Terms;
import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.Detector.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.junit.jupiter.api.Test;

class StandingsTest {
  private static final int MAX_PARALLELISM = 8;
  private static final KeyGroupRange ALL = new KeyGroupRange(0, MAX_PARALLELISM - 1);
  private static final long SECOND_NS = 1_000_000_000;
  private static final int SUBJECTS = 2_000;

  /** Windows of three panes, and what is usual is remembered for a while. */
  private static final Terms TERMS =
      new Terms(
          RuleTag.of("test"),
          "udp_flood",
          Kind.UDP_FLOOD,
          SECOND_NS,
          3,
          10,
          Terms.NO_PREFIX,
          4,
          60 * SECOND_NS,
          0);

  private final Standings standings = new Standings(ALL, MAX_PARALLELISM);

  private static Standing standing(int number) {
    return new Standing(new Subject(1, 0, true, 0, number, Subject.NO_PORT), TERMS);
  }

  private static Pane pane(long packets) {
    Spot spot = new Spot(packets, 1, packets);
    return new Pane(packets, 60, 0, 0, new byte[8], new long[] {packets, 0, 1}, spot, spot);
  }

  private void add(Standing standing, long number, long packets) {
    int before = standing.memoryBytes();
    standing.add(number, pane(packets));
    standings.grew(standing.memoryBytes() - before);
    standings.lookAt(standing, Math.min(standing.dueMs(), TERMS.lastMs(number)));
  }

  @Test
  void shouldBeDueOnceAndAtTheEarliest() {
    Standing one = standing(1);
    Standing other = standing(2);
    standings.add(one);
    standings.add(other);
    for (long number : new long[] {107, 103, 105, 103, 104}) {
      add(one, number, 1);
    }
    add(other, 104, 1);

    assertThat(standings.dues()).isEqualTo(2);
    assertThat(standings.takeFirst(TERMS.lastMs(103) - 1)).isNull();
    Standings.Due first = standings.takeFirst(TERMS.lastMs(103));
    assertThat(first.standings()).containsExactly(one);
    assertThat(TERMS.paneOf(first.watermarkMs())).isEqualTo(103);
    standings.lookAt(one, one.lookAfter(103));
    assertThat(standings.takeFirst(Long.MAX_VALUE).standings())
        .containsExactlyInAnyOrder(one, other);
    assertThat(standings.dues()).isZero();
  }

  @Test
  void shouldForgetWhoIsGoneButNotWhoCameBack() {
    Standing gone = standing(1);
    standings.add(gone);
    add(gone, 100, 1);
    add(gone, 200, 1);
    standings.remove(gone);
    Standing back = standing(1);
    standings.add(back);
    add(back, 200, 5);

    assertThat(standings.of(back.subject())).isSameAs(back);
    assertThat(standings.size()).isEqualTo(1);
    assertThat(standings.bytes()).isEqualTo(back.memoryBytes());
    assertThat(standings.takeFirst(Long.MAX_VALUE).standings()).containsExactly(back);
    standings.remove(back);
    assertThat(standings.bytes()).isZero();
  }

  @Test
  void shouldComeBackAsItWas() throws IOException {
    List<Standing> all = new ArrayList<>();
    for (int i = 0; i < SUBJECTS; i++) {
      Standing each = standing(i);
      standings.add(each);
      for (long number = 100; number <= 100 + i % 4; number++) {
        add(each, number, 1 + i % 50);
      }
      if (i % 3 == 0) {
        judge(each, 100);
      }
      all.add(each);
    }

    Standings restored = new Standings(ALL, MAX_PARALLELISM);
    for (int keyGroup : ALL) {
      restored.read(new DataInputDeserializer(written(keyGroup)));
    }

    assertThat(restored.size()).isEqualTo(SUBJECTS);
    assertThat(restored.dues()).isEqualTo(standings.dues());
    for (Standing each : all) {
      Standing again = restored.of(each.subject());
      assertThat(again.terms()).isEqualTo(TERMS);
      assertThat(again.judgedPane()).isEqualTo(each.judgedPane());
      assertThat(again.dueMs()).isEqualTo(each.dueMs());
      assertThat(again.course().mean()).isEqualTo(each.course().mean());
      assertThat(again.course().isOpen()).isEqualTo(each.course().isOpen());
      assertThat(again.windowUpTo(103).packets()).isEqualTo(each.windowUpTo(103).packets());
    }
  }

  private void judge(Standing standing, long pane) {
    Pane window = standing.windowUpTo(pane);
    standing.judged(pane, standing.course().judge(TERMS, pane, window, standing.pane(pane)).next());
    standing.forgetPassed(pane);
    standings.lookAt(standing, standing.lookAfter(pane));
  }

  private byte[] written(int keyGroup) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    standings.write(keyGroup, bytes);
    return bytes.toByteArray();
  }

  @Test
  void shouldRefuseAnotherFormat() throws IOException {
    byte[] bytes = written(0);
    bytes[3]++;
    assertThatThrownBy(() -> standings.read(new DataInputDeserializer(bytes)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("alerts of format 2, this release knows 1");
  }
}
