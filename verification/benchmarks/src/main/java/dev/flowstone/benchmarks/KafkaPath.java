// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.jobs.platform.PlatformOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * A broker as its own process, and the platform job's options to write there: all acknowledgements,
 * columns, no compression, at least once. Whoever starts it closes it; the messages are gone then.
 */
final class KafkaPath implements AutoCloseable {
  /** Bounds the disk: a little more than twice this for each topic's two partitions. */
  private static final long KEPT_BYTES_PER_PARTITION = 8L << 30;

  private final ScratchFolder folder;
  private final BrokerProcess broker;

  private KafkaPath(ScratchFolder folder, BrokerProcess broker) {
    this.folder = folder;
    this.broker = broker;
  }

  static KafkaPath start() throws IOException, InterruptedException {
    Progress.say("starting a broker");
    ScratchFolder folder = ScratchFolder.onDisk();
    BrokerOptions options = BrokerOptions.in(folder.path()).keepingBytes(KEPT_BYTES_PER_PARTITION);
    try {
      return new KafkaPath(folder, BrokerProcess.start(options));
    } catch (IOException | InterruptedException e) {
      folder.close();
      throw e;
    }
  }

  ProcessHandle process() {
    return broker.handle();
  }

  String bootstrapServers() {
    return broker.bootstrapServers();
  }

  /** However long a run takes, all is there to be recounted. */
  void createTopic(String topic) throws InterruptedException, ExecutionException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
      admin
          .createTopics(
              List.of(
                  new NewTopic(topic, FilledRings.RING_COUNT, (short) 1)
                      .configs(Map.of("retention.ms", "-1"))))
          .all()
          .get();
    }
  }

  /** Makes room: what one measurement wrote is of no use for the next. */
  void deleteTopic(String topic) throws InterruptedException, ExecutionException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
      admin.deleteTopics(List.of(topic)).all().get();
    }
  }

  /** The platform job's own defaults but for delivery; see there. */
  PlatformOptions job(Path rings, String topic) {
    PlatformOptions options = new PlatformOptions();
    options.rings = rings;
    options.bootstrapServers = bootstrapServers();
    options.topic = topic;
    options.delivery = DeliveryGuarantee.AT_LEAST_ONCE;
    options.readerName = "benchmark";
    options.transactionPrefix = topic;
    return options;
  }

  @Override
  public void close() {
    broker.close();
    folder.close();
  }
}
