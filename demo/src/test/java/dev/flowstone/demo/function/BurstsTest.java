// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo.function;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.demo.SentDatagrams;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.operators.user.PacketFunctionContext;
import dev.flowstone.results.JsonResult;
import dev.flowstone.results.Result;
import dev.flowstone.results.RuleTag;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;

class BurstsTest {
  private static final int GAP_NS = 100;

  private final List<Result> told = new ArrayList<>();
  private final Bursts bursts = opened();

  private Bursts opened() {
    Bursts made = new Bursts();
    made.open(
        new PacketFunctionContext() {
          @Override
          public Map<String, String> options() {
            return Map.of("gap_ns", "" + GAP_NS, "least_packets", "3");
          }

          @Override
          public RuleTag rule() {
            return RuleTag.of("bursts");
          }

          @Override
          public int subtask() {
            return 0;
          }

          @Override
          public MetricGroup metrics() {
            return new UnregisteredMetricsGroup();
          }

          @Override
          public void emit(Result result) {
            told.add(result);
          }
        });
    return made;
  }

  private static PacketBlock block(SentDatagrams sent) {
    return PacketBlock.of(
        new PacketBlockOrigin(0, 1, 0, 0, true), sent.records(), 0, sent.count(), PacketLoss.NONE);
  }

  private static SentDatagrams sent() {
    return new SentDatagrams();
  }

  private List<String> json() {
    return told.stream().map(JsonResult::of).toList();
  }

  @Test
  void shouldTellEachRunOfAFlowThatIsLongEnough() {
    bursts.process(
        block(
            sent()
                .send(7, 1_000, 60)
                .send(8, 1_010, 900)
                .send(7, 1_100, 70)
                .send(7, 1_200, 80)
                .send(8, 1_210, 900)
                .send(7, 1_301, 90)));
    assertThat(json())
        .containsExactly(
            "{\"kind\":\"burst\",\"time_ns\":1000,\"rule\":\"bursts\",\"source_address\":\"192.0.2.1\","
                + "\"destination_address\":\"192.0.2.2\",\"source_port\":7,\"destination_port\":5001,"
                + "\"protocol\":17,\"last_ns\":1200,\"packets\":3,\"bytes\":210}");
  }

  @Test
  void shouldWaitForPacketsThatMayStillJoin() {
    bursts.process(block(sent().send(7, 1_000, 60).send(7, 1_000, 60).send(7, 1_050, 60)));
    bursts.advance(1_150);
    assertThat(told).isEmpty();
    bursts.advance(1_151);
    assertThat(told).hasSize(1);
    bursts.advance(Long.MAX_VALUE);
    assertThat(told).hasSize(1);
  }

  @Test
  void shouldGoOnWithTheRunsOfItsCheckpoint() {
    bursts.process(block(sent().send(7, 1_000, 60).send(7, 1_050, 60).send(9, 1_050, 1)));
    Bursts restored = opened();
    restored.restore(List.of(bursts.snapshot()));
    restored.process(block(sent().send(7, 1_100, 60)));
    restored.advance(Long.MAX_VALUE);
    assertThat(json()).singleElement().asString().contains("\"last_ns\":1100,\"packets\":3");
  }

  @Test
  void shouldEndTheRunOfTheFlowNotSeenForLongestWhenThereAreTooMany() {
    SentDatagrams sent = sent().send(1, 0, 9).send(2, 0, 9).send(2, 0, 9).send(2, 0, 9);
    sent.send(1, 1, 9).send(1, 1, 9);
    for (int flow = 3; flow <= Bursts.MOST_FLOWS + 1; flow++) {
      sent.send(flow, 2, 9);
    }
    bursts.process(block(sent));
    assertThat(json()).singleElement().asString().contains("\"source_port\":2,");
  }
}
