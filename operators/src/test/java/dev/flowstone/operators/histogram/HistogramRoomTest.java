// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import static dev.flowstone.operators.histogram.HistogramRules.MS;
import static dev.flowstone.operators.histogram.HistogramRules.room;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.rules.function.Histogram;
import dev.flowstone.rules.function.Histogram.Measure;
import dev.flowstone.rules.function.Histogram.Per;
import dev.flowstone.rules.function.Pass;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which rules a job takes that has begun with others. */
class HistogramRoomTest {
  private static final Set<Measure> GAPS = Set.of(Measure.INTER_ARRIVAL);
  private static final Histogram PER_RULE = Histogram.usual(Per.RULE);
  private static final Histogram PER_FLOW = Histogram.usual(Per.FLOW);

  private static RulesInForce rules(Histogram... functions) {
    return HistogramRules.of(functions).read();
  }

  @Test
  void shouldTakeRulesWithoutHistogramsAtAnyTime() {
    RulesInForce none = RulesInForce.everyPacket(Pass.unchanged());
    HistogramRoom room = HistogramRoom.of(none.rules());
    assertThat(room.flowBytes()).isEqualTo(FlowMemory.WITHOUT_INTERVAL_BYTES);
    room.require(none);
    room.require(rules(PER_RULE));
  }

  @Test
  void shouldRefuseFlowsThatNeedMoreAndSayHowMuch() {
    HistogramRoom room = room(HistogramRules.of(PER_RULE));
    int needed = room(HistogramRules.of(PER_FLOW)).flowBytes();
    assertThatThrownBy(() -> room.require(rules(PER_RULE, PER_FLOW)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(
            "rule 1: its histograms take %,d bytes of each flow".formatted(needed))
        .hasMessageContaining("room for 24")
        .hasMessageContaining("--histogram-bytes " + needed);
    room.withFlowBytes(needed).require(rules(PER_RULE, PER_FLOW));
    assertThatThrownBy(() -> room.withFlowBytes(needed - 1).require(rules(PER_FLOW)))
        .hasMessageContaining("room for");
  }

  @Test
  void shouldRefuseRoomThatIsNoneForTheRulesAtTheStartOrForAPage() {
    HistogramRoom room = room(HistogramRules.of(PER_FLOW));
    assertThatThrownBy(() -> room.withFlowBytes(100))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the rules at the start need")
        .hasMessageContaining("--histogram-bytes 100");
    assertThatThrownBy(() -> room.withFlowBytes(4_057))
        .hasMessage("--histogram-bytes must be 24 to 4056: 4057");
  }

  /** Four take 38 MB each; the room is for two of one at least, and for 64 MiB. */
  @Test
  void shouldRefuseSumsForWhichThereIsNoRoom() {
    Histogram large = HistogramRules.histogram(Per.RULE, GAPS, 1, 600_000_000 * MS, 5, 100 * MS);
    Histogram[] four = new Histogram[4];
    Arrays.fill(four, large);
    HistogramRoom room = room(HistogramRules.of(PER_RULE));
    assertThat(room.partialBytes()).isEqualTo(64L << 20);
    assertThatThrownBy(() -> room.require(rules(four)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("two histograms of each of 4 rules take")
        .hasMessageContaining("this job has room for 67,108,864");
    room(HistogramRules.of(four)).require(rules(four));
    room.require(rules(large));
  }
}
