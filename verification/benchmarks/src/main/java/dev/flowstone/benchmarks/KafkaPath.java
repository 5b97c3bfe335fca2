// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.platform.PlatformOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.connector.base.DeliveryGuarantee;

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
    ScratchFolder folder = ScratchFolder.onDisk("bench");
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

  /** Makes it; however long a run takes, all is there to be recounted. */
  KafkaTopic createTopic(String name) throws InterruptedException {
    KafkaTopic topic = new KafkaTopic(bootstrapServers(), name);
    topic.create(FilledRings.RING_COUNT, Map.of("retention.ms", "-1"));
    return topic;
  }

  /** The platform job's own defaults but for delivery; see there. */
  PlatformOptions job(Path rings, KafkaTopic topic) {
    PlatformOptions options = new PlatformOptions();
    options.rings = List.of(rings);
    options.bootstrapServers = topic.bootstrapServers();
    options.topic = topic.name();
    options.delivery = DeliveryGuarantee.AT_LEAST_ONCE;
    options.readerName = "benchmark";
    options.transactionPrefix = topic.name();
    return options;
  }

  @Override
  public void close() {
    broker.close();
    folder.close();
  }
}
