// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.operators.ruled.RulesWatch.WrittenRules;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WaitingRulesTest {
  private final WaitingRules waiting = new WaitingRules();
  private final List<String> read = new ArrayList<>();

  private static List<WrittenRules> written(String... places) {
    return Stream.of(places).map(place -> new WrittenRules(place, new byte[0])).toList();
  }

  private enum Fate {
    IN_FORCE,
    REFUSED,
    WAITS,
    UNKNOWN
  }

  /** Who was judged; whoever has no fate waits. */
  private List<String> judge(Map<String, Fate> fates) throws Exception {
    List<String> judged = new ArrayList<>();
    waiting.judge(
        new WaitingRules.Judge() {
          @Override
          public Optional<WaitingRules.Good> read(WrittenRules written) {
            read.add(written.place());
            if (fates.get(written.place()) == Fate.REFUSED) {
              judged.add(written.place());
              return Optional.empty();
            }
            return Optional.of(new WaitingRules.Good(new RulesText(1, written.place(), ""), null));
          }

          @Override
          public boolean takes(WaitingRules.Good rules) throws IOException {
            String place = rules.text().place();
            judged.add(place);
            if (fates.get(place) == Fate.UNKNOWN) {
              throw new IOException("of " + place + " nobody knows");
            }
            return fates.get(place) == Fate.IN_FORCE;
          }
        });
    return judged;
  }

  @Test
  void shouldPutTheNewestInForceThatMayBeAndKeepThoseThatAreNewer() throws Exception {
    waiting.add(written("1", "2", "3", "4"));
    assertThat(judge(Map.of("3", Fate.REFUSED, "2", Fate.IN_FORCE))).containsExactly("4", "3", "2");
    assertThat(waiting.count()).isEqualTo(1);
    waiting.add(written("5"));
    assertThat(judge(Map.of("4", Fate.IN_FORCE))).containsExactly("5", "4");
    assertThat(judge(Map.of("5", Fate.IN_FORCE))).containsExactly("5");
    assertThat(judge(Map.of())).isEmpty();
    assertThat(waiting.count()).isZero();
    assertThat(read).as("each read once").containsExactly("4", "3", "2", "5");
  }

  @Test
  void shouldJudgeOlderOnesWhereNobodyKnowsOfANewerOne() throws Exception {
    waiting.add(written("1", "2", "3"));
    assertThatThrownBy(
            () -> judge(Map.of("3", Fate.UNKNOWN, "2", Fate.UNKNOWN, "1", Fate.IN_FORCE)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("of 3");
    assertThat(waiting.count()).isEqualTo(2);
    assertThat(judge(Map.of("3", Fate.IN_FORCE))).containsExactly("3");
  }

  /** As a file that is written anew before its topic came. */
  @Test
  void shouldForgetWhatIsThereNoMore() throws Exception {
    assertThat(waiting.add(written("file", "other"))).isEmpty();
    waiting.add(written("file"));
    assertThat(judge(Map.of())).containsExactly("file", "other");
  }

  @Test
  void shouldKeepNoMoreThanItsBound() throws Exception {
    int tooMany = WaitingRules.MOST + 2;
    String[] places =
        IntStream.range(0, tooMany).mapToObj(Integer::toString).toArray(String[]::new);
    assertThat(waiting.add(written(places)))
        .extracting(WrittenRules::place)
        .containsExactly("0", "1");
    assertThat(judge(Map.of())).hasSize(WaitingRules.MOST).last().isEqualTo("2");
  }
}
