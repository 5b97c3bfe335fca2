// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.format.flink.PacketBatchKafkaSchema;
import dev.flowstone.jobs.endpoints.delivery.AtLeastOnceSink;
import dev.flowstone.jobs.endpoints.delivery.ResultMessage;
import dev.flowstone.jobs.endpoints.delivery.TransactionNames;
import dev.flowstone.jobs.endpoints.delivery.TransactionalSink;
import dev.flowstone.results.Result;
import java.util.List;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Sinks that write to Kafka as the options say. */
public final class KafkaSinks {
  private static final String RESULTS = "results";
  private static final String STAGES = "stages";

  private KafkaSinks() {}

  /** A job that never ends and takes no checkpoint would fill Kafka with what nobody may read. */
  public static void requireCommits(
      StreamExecutionEnvironment environment, KafkaOptions options, RingOptions rings) {
    if (options.isExactlyOnce()
        && !rings.bounded
        && !environment.getCheckpointConfig().isCheckpointingEnabled()) {
      throw new IllegalArgumentException(
          "exactly-once delivery commits with each checkpoint, and checkpointing is off: set"
              + " execution.checkpointing.interval, or choose --delivery at-least-once");
    }
  }

  /** Blocks as packet batches, each to its rule's topic or else to this one. */
  public static Sink<WeightedBlock> ofPackets(
      KafkaOptions options, String jobName, String topic, PacketBatchOptions batches) {
    TransactionNames names = TransactionNames.ofNewRun(options.transactionPrefix(jobName));
    KafkaSink<WeightedBlock> kafka =
        sink(options, names, new PacketBatchKafkaSchema(topic, batches.body, batches.packets));
    return options.isExactlyOnce()
        ? TransactionalSink.ofPackets(
            kafka, options.onLostTransaction, KafkaSettings.admin(options), names)
        : new AtLeastOnceSink<>(kafka);
  }

  /** Sends results as JSON, each to its rule's topic or else to this one. */
  public static void sendResults(
      DataStream<? extends Result> results, KafkaOptions options, String jobName, String topic) {
    sendResults(List.of(results), options, jobName, topic);
  }

  /** Sends results of several functions through one sink, each made into JSON where it is found. */
  public static void sendResults(
      List<? extends DataStream<? extends Result>> results,
      KafkaOptions options,
      String jobName,
      String topic) {
    send(results, options, jobName, topic, RESULTS);
  }

  /**
   * Sends what the stages count in the same way, by a sink of its own: results stay in the chain of
   * what finds them, and are the only ones that a lost transaction of theirs counts.
   */
  public static void sendStages(
      DataStream<? extends Result> reports, KafkaOptions options, String jobName, String topic) {
    send(List.of(reports), options, jobName, topic, STAGES);
  }

  private static void send(
      List<? extends DataStream<? extends Result>> results,
      KafkaOptions options,
      String jobName,
      String topic,
      String what) {
    TransactionNames names =
        TransactionNames.ofNewRun(options.transactionPrefix(jobName) + "-" + what);
    KafkaSink<ResultMessage> kafka = sink(options, names, new ResultKafkaSchema());
    results.stream()
        .map(each -> messages(each, topic))
        .reduce(DataStream::union)
        .orElseThrow(() -> new IllegalArgumentException("a job without results sends none"))
        .sinkTo(
            options.isExactlyOnce()
                ? TransactionalSink.ofResults(
                    kafka, options.onLostTransaction, KafkaSettings.admin(options), names)
                : new AtLeastOnceSink<>(kafka))
        .name("Kafka: " + what)
        .uid("kafka-" + what);
  }

  private static <R extends Result> DataStream<ResultMessage> messages(
      DataStream<R> results, String topic) {
    return results
        .map(result -> ResultMessage.of(result, topic))
        .returns(ResultMessage.class)
        .name("JSON");
  }

  private static <T> KafkaSink<T> sink(
      KafkaOptions options, TransactionNames names, KafkaRecordSerializationSchema<T> schema) {
    return KafkaSink.<T>builder()
        .setBootstrapServers(options.bootstrapServers)
        .setKafkaProducerConfig(KafkaSettings.producer(options))
        .setDeliveryGuarantee(options.delivery)
        .setTransactionalIdPrefix(names.prefix())
        // A name of its own for each: of a name used again nobody can say what was lost.
        .setTransactionNamingStrategy(TransactionNamingStrategy.INCREMENTING)
        .setRecordSerializer(schema)
        .build();
  }
}
