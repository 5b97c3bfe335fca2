// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.platform.PlatformOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.flink.api.connector.source.Source;

/**
 * A broker as its own process, and jobs that write there from rings. Whoever starts it closes it;
 * the messages are gone then.
 */
final class KafkaPath implements AutoCloseable {
  /** Bounds the disk: a little more than twice this for each topic's two partitions. */
  private static final long KEPT_BYTES_PER_PARTITION = 8L << 30;

  private final ScratchFolder folder;
  private final BrokerProcess broker;
  private int topics;

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

  /** Makes it; however long a run takes, all is there to be recounted. */
  KafkaTopic createTopic() throws InterruptedException {
    KafkaTopic topic = new KafkaTopic(broker.bootstrapServers(), "bench-" + topics++);
    topic.create(FilledRings.RING_COUNT, Map.of("retention.ms", "-1"));
    return topic;
  }

  /** What one of these jobs is measured by. */
  interface Measure<T> {
    T of(TopicEnds topic, FlinkRun run) throws Exception;
  }

  /** Runs a job from those rings to a topic of its own while it is measured. */
  <T> T during(
      KafkaLoad load,
      Duration commitInterval,
      Path rings,
      Function<PlatformOptions, Source<PacketBlock, ?, ?>> source,
      Measure<T> measure)
      throws Exception {
    KafkaTopic topic = createTopic();
    PlatformOptions options = options(load, rings, topic);
    try (FlinkRun run =
            FlinkRun.start(
                load.parallelism(),
                commitInterval,
                environment -> load.build(environment, source.apply(options), options));
        TopicEnds ends = new TopicEnds(topic, load)) {
      return measure.of(ends, run);
    } finally {
      topic.delete();
    }
  }

  /** The platform job's own defaults; see there. */
  private static PlatformOptions options(KafkaLoad load, Path rings, KafkaTopic topic) {
    PlatformOptions options = new PlatformOptions();
    options.rings.folders = List.of(rings);
    options.kafka.bootstrapServers = topic.bootstrapServers();
    options.topic = topic.name();
    options.kafka.delivery = load.delivery();
    options.rings.readerName = "benchmark";
    options.kafka.transactionPrefix = topic.name();
    return options;
  }

  @Override
  public void close() {
    broker.close();
    folder.close();
  }
}
