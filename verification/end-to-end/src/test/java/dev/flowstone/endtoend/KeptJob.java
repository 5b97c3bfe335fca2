// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.flowstone.broker.process.SharedBroker;
import dev.flowstone.format.kafka.PacketJsonFormatter;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The platform job with a broker of its own, as its savepoints are kept: whoever changes these
 * options changes what a kept savepoint goes on as.
 */
final class KeptJob implements AutoCloseable {
  static final int RINGS = 2;

  private static final String PACKETS = "packets";
  private static final String RESULTS = "results";
  private static final String STAGES = "stages";
  private static final String RULES = "rules";
  private static final AtomicInteger JOBS = new AtomicInteger();
  private static final int HISTOGRAM_BYTES = 1_024;
  private static final int MOST_FLOWS = 4_096;
  private static final Duration CHECKPOINT_INTERVAL = Duration.ofMillis(500);
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final Path folder;
  private final PlatformOptions options = new PlatformOptions();
  private final Configuration configuration = new Configuration();
  private final String broker = SharedBroker.bootstrapServers();

  /** Names its topics at the broker of all tests. */
  private final String prefix = "kept-job-" + JOBS.incrementAndGet() + "-";

  private JobClient running;

  /** On rings whose tap has ended, or which are all read before the job is stopped. */
  private KeptJob(Path folder, Path rings) throws Exception {
    this.folder = folder;
    options.topic = topic(PACKETS).name();
    options.resultsTopic = topic(RESULTS).name();
    options.rings.folders = List.of(rings);
    options.kafka.bootstrapServers = broker;
    // A transaction belongs to its broker, which is no more when somebody goes on from a kept one.
    options.kafka.delivery = DeliveryGuarantee.AT_LEAST_ONCE;
    options.functions = CountedSeconds.jarIn(folder);
    options.flows.mostFlows = MOST_FLOWS;
    options.flows.histogramBytes = HISTOGRAM_BYTES;
    options.stages.topic = topic(STAGES).name();
    options.stages.interval = Duration.ofSeconds(1);
    for (String topic : List.of(PACKETS, RESULTS, STAGES, RULES)) {
      topic(topic).create(1);
    }
    configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, CHECKPOINT_INTERVAL);
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
  }

  /** By the rules of a topic, without end. */
  static KeptJob byTopic(Path folder, Path rings, String rules) throws Exception {
    KeptJob job = new KeptJob(folder, rings);
    job.options.rules.topic = job.topic(RULES).name();
    job.send(rules);
    job.start();
    return job;
  }

  /** By rules that it begins with, to the end of the rings. */
  static KeptJob byFile(Path folder, Path rings, String rules) throws Exception {
    KeptJob job = new KeptJob(folder, rings);
    job.options.name = "undisturbed";
    job.options.rings.bounded = true;
    job.options.rules.file = Files.writeString(folder.resolve("rules.yaml"), rules);
    job.start();
    return job;
  }

  /** By the rules that the savepoint alone knows, to the end of the rings. */
  static KeptJob from(Path folder, Path rings, Path savepoint) throws Exception {
    KeptJob job = new KeptJob(folder, rings);
    job.options.rings.bounded = true;
    job.options.rules.topic = job.topic(RULES).name();
    job.configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint.toUri().toString());
    job.start();
    return job;
  }

  private void start() throws Exception {
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(RINGS, configuration);
    environment.setMaxParallelism(128);
    PlatformJob.build(environment, options);
    running = environment.executeAsync(options.name);
  }

  private void send(String rules) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer.send(new ProducerRecord<>(topic(RULES).name(), rules.getBytes(UTF_8))).get();
    }
  }

  /** Returns when the rules of the topic count. */
  void awaitRules() throws Exception {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (stages().noneMatch(each -> each.contains("\"rules_version\":2"))) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new AssertionError("the rules of the topic are not in force");
      }
      Thread.sleep(100);
    }
  }

  private Stream<String> stages() throws Exception {
    List<String> stages = new ArrayList<>();
    read(STAGES, message -> stages.add(new String(message, UTF_8)));
    return stages.stream();
  }

  /** Returns when the job is gone, and where its savepoint is. */
  Path stop() throws Exception {
    Path savepoint =
        Path.of(
            URI.create(
                running
                    .stopWithSavepoint(
                        false,
                        folder.resolve("savepoints").toUri().toString(),
                        SavepointFormatType.CANONICAL)
                    .get(LIMIT.toSeconds(), TimeUnit.SECONDS)));
    awaitEnd();
    return savepoint;
  }

  void awaitEnd() throws Exception {
    running.getJobExecutionResult().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    running = null;
  }

  /** What Kafka has, packets and results, as sorted lines of JSON. */
  List<String> told() throws Exception {
    List<String> lines = new ArrayList<>();
    read(RESULTS, message -> lines.add(new String(message, UTF_8)));
    PacketJsonFormatter packets = new PacketJsonFormatter();
    CommittedMessages.readAll(
        topic(PACKETS),
        LIMIT,
        message -> {
          ByteArrayOutputStream text = new ByteArrayOutputStream();
          packets.writeTo(message, new PrintStream(text, false, UTF_8));
          text.toString(UTF_8).lines().forEach(lines::add);
        });
    return lines.stream().sorted().toList();
  }

  private void read(String topic, Consumer<byte[]> messages) throws Exception {
    CommittedMessages.readAll(topic(topic), LIMIT, message -> messages.accept(message.value()));
  }

  private KafkaTopic topic(String name) {
    return new KafkaTopic(broker, prefix + name);
  }

  @Override
  public void close() {
    if (running != null) {
      running.cancel().orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    }
  }
}
