// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.operators.ruled.RulesWatch.WrittenRules;
import dev.flowstone.operators.ruled.WaitingRules.Fate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WaitingRulesTest {
  private final WaitingRules waiting = new WaitingRules();

  private static List<WrittenRules> written(String... places) {
    return Stream.of(places).map(place -> new WrittenRules(place, new byte[0])).toList();
  }

  /** Who was judged; whoever has no fate waits. */
  private List<String> judge(Map<String, Fate> fates) throws Exception {
    List<String> judged = new ArrayList<>();
    waiting.judge(
        each -> {
          judged.add(each.place());
          return fates.getOrDefault(each.place(), Fate.WAITS);
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
  }

  /** As a file that is written anew before its topic came. */
  @Test
  void shouldForgetWhatIsThereNoMore() throws Exception {
    waiting.add(written("file", "other"));
    waiting.add(written("file"));
    assertThat(judge(Map.of())).containsExactly("file", "other");
  }

  @Test
  void shouldKeepNoMoreThanItsBound() throws Exception {
    int tooMany = WaitingRules.MOST + 2;
    waiting.add(
        written(IntStream.range(0, tooMany).mapToObj(Integer::toString).toArray(String[]::new)));
    assertThat(judge(Map.of())).hasSize(WaitingRules.MOST).last().isEqualTo("2");
  }
}
