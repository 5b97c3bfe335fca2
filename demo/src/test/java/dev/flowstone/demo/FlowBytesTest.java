// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.format.BatchOrigin;
import dev.flowstone.format.BodyKind;
import dev.flowstone.format.PacketBatchEncoder;
import dev.flowstone.model.PacketLoss;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FlowBytesTest {
  private static final long TIME_NS = 1_700_000_007_999_000_000L;
  private static final int WEIGHT = 10;

  @Test
  void shouldAddUpWhatEachFlowsPacketsStandFor() {
    SentDatagrams sent =
        new SentDatagrams()
            .send(1, TIME_NS, 100)
            .send(1, TIME_NS + 1, 60)
            .send(2, TIME_NS + 2, 1_000)
            .send(1, TIME_NS + 3, 7);
    BatchOrigin origin = new BatchOrigin(0, 1, 0, TIME_NS, true, PacketLoss.NONE, 1, WEIGHT);
    byte[] message =
        new PacketBatchEncoder(BodyKind.COLUMNS, sent.count())
            .encode(origin, sent.records(), 0, sent.count());
    BatchCounter counter = new BatchCounter();
    assertThat(FlowBytes.of(counter.take(message)))
        .isEqualTo(
            new FlowBytes(
                1_700_000_007,
                Map.of(SentDatagrams.flow(1), 1_670L, SentDatagrams.flow(2), 10_000L)));
    assertThat(counter.packets()).isEqualTo(4);
  }

  /** Where a loss is told and no packet came. */
  @Test
  void shouldTakeAMessageWithoutPackets() {
    BatchOrigin origin = new BatchOrigin(0, 1, 0, TIME_NS, true, new PacketLoss(5, 0), 0, 1);
    byte[] message =
        new PacketBatchEncoder(BodyKind.COLUMNS, 1)
            .encode(origin, new SentDatagrams().send(1, 0, 1).records(), 0, 0);
    BatchCounter counter = new BatchCounter();
    assertThat(FlowBytes.of(counter.take(message)).bytes()).isEmpty();
    assertThat(counter.lost()).isEqualTo(5);
  }
}
