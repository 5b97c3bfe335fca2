// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.flowstone.jobs.endpoints.delivery.ResultMessage;
import dev.flowstone.stages.StageMetrics;
import org.apache.flink.api.common.serialization.SerializationSchema.InitializationContext;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Kafka's own time of a message is that of its arrival; event time is inside. */
final class ResultKafkaSchema implements KafkaRecordSerializationSchema<ResultMessage> {
  private static final long serialVersionUID = 1L;

  private transient Counter sent;

  /** Once: Kafka's sink opens its schema again with each writer. */
  @Override
  public void open(InitializationContext context, KafkaSinkContext sinkContext) {
    if (sent == null) {
      sent = StageMetrics.of(context.getMetricGroup()).counter("resultsSent");
    }
  }

  @Override
  public ProducerRecord<byte[], byte[]> serialize(
      ResultMessage message, KafkaSinkContext context, Long timestamp) {
    sent.inc();
    return new ProducerRecord<>(
        message.topic(), message.key().getBytes(UTF_8), message.json().getBytes(UTF_8));
  }
}
