// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import dev.flowstone.broker.process.SharedBroker;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.flink.DeploymentCommands;
import dev.flowstone.testbed.kafka.TransactionWatch;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.rings.ReplayedTap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import org.apache.kafka.clients.admin.TransactionListing;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two hosts whose rings go to one Kafka, by the same command. */
@Tag("slow")
@Timeout(300)
class TwoHostsITCase {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final int CHECKPOINTS = 3;

  @TempDir private Path folder;

  /** A host: its tap, its rings and its state, and a name of its own. */
  private final class Host implements AutoCloseable {
    private final ScratchFolder rings;
    private final DeploymentCommands commands;
    private final ReplayedTap tap;

    Host(String name) throws Exception {
      Path home = Files.createDirectory(folder.resolve(name));
      rings = ScratchFolder.inMemory("two-hosts-" + name);
      commands = new DeploymentCommands(home, "FLOWSTONE_HOST=" + name);
      tap = ReplayedTap.start(home, rings.path());
    }

    ChildProcess platform(KafkaTopic topic) throws Exception {
      return commands.job(
          "platform",
          "--rings",
          rings.path().toString(),
          "--bootstrap-servers",
          topic.bootstrapServers(),
          "--topic",
          topic.name(),
          "--checkpoint-interval",
          "500 ms",
          "--web-port",
          "0",
          "--bounded");
    }

    @Override
    public void close() throws IOException {
      tap.close();
      rings.close();
    }
  }

  private static boolean hasTransactionOf(String host, Collection<TransactionListing> listed) {
    return listed.stream()
        .anyMatch(each -> each.transactionalId().startsWith("platform-" + host + "-run"));
  }

  @Test
  void shouldDeliverBothTogether() throws Exception {
    KafkaTopic topic = new KafkaTopic(SharedBroker.bootstrapServers(), "two-hosts");
    topic.create(ReplayedTap.RING_COUNT);
    try (Host left = new Host("left");
        Host right = new Host("right");
        ChildProcess first = left.platform(topic)) {
      left.tap.awaitCheckpoint(first);
      try (ChildProcess second = right.platform(topic)) {
        for (int checkpoint = 0; checkpoint < CHECKPOINTS; checkpoint++) {
          left.tap.awaitCheckpoint(first, second);
          right.tap.awaitCheckpoint(first, second);
        }
        new TransactionWatch(topic.bootstrapServers())
            .await(listed -> hasTransactionOf("left", listed) && hasTransactionOf("right", listed));
        long offered = left.tap.end() + right.tap.end();
        Programs.requireSuccess(first, LIMIT);
        Programs.requireSuccess(second, LIMIT);
        ReplayedTap.requireBalance(topic, offered);
      }
    }
  }
}
