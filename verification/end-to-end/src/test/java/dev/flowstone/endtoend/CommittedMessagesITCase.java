// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A topic that a broker does not know, or not yet. */
class CommittedMessagesITCase {
  @TempDir private Path folder;

  @Test
  void shouldWaitForATopicThatIsMadeMeanwhile() throws Exception {
    try (BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(folder))) {
      KafkaTopic topic = new KafkaTopic(broker.bootstrapServers(), "later");
      CompletableFuture<Void> made =
          CompletableFuture.runAsync(
              () -> create(topic), CompletableFuture.delayedExecutor(1_500, TimeUnit.MILLISECONDS));
      try (CommittedMessages messages = new CommittedMessages(topic)) {
        assertThat(messages.writtenEnds()).hasSize(3);
        assertThat(messages.poll()).isEmpty();
      }
      made.get();
      KafkaTopic never = new KafkaTopic(broker.bootstrapServers(), "never");
      assertThatThrownBy(() -> new CommittedMessages(never, Duration.ofSeconds(1)).close())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("knows no topic never")
          .hasMessageContaining("make it first");
    }
  }

  private static void create(KafkaTopic topic) {
    try {
      topic.create(3);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
