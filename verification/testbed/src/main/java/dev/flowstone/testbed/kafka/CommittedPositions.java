// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.format.PacketBatchHeader;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Up to which position of its ring a read_committed consumer has each stream. Its maker closes it.
 * One thread.
 */
public final class CommittedPositions implements AutoCloseable {
  private final CommittedMessages messages;
  private final PacketBatchDecoder decoder = new PacketBatchDecoder();
  private final Map<Long, Long> ends = new HashMap<>();

  public CommittedPositions(KafkaTopic topic) throws InterruptedException {
    messages = new CommittedMessages(topic);
  }

  /**
   * Returns when there is something behind each of these.
   *
   * @param positions of each stream
   */
  public void await(Map<Long, Long> positions, Duration limit) {
    assertThat(positions).isNotEmpty();
    long deadlineNs = System.nanoTime() + limit.toNanos();
    while (!areBeyond(positions)) {
      assertThat(System.nanoTime() - deadlineNs)
          .as("packets behind %s, of %s, are not committed after %s", positions, ends, limit)
          .isNegative();
      for (ConsumerRecord<byte[], byte[]> message : messages.poll()) {
        PacketBatchHeader header = decoder.readHeader(message.value());
        ends.merge(header.stream(), header.firstPosition() + header.count(), Math::max);
      }
    }
  }

  private boolean areBeyond(Map<Long, Long> positions) {
    return positions.entrySet().stream()
        .allMatch(each -> ends.getOrDefault(each.getKey(), 0L) > each.getValue());
  }

  @Override
  public void close() {
    messages.close();
  }
}
