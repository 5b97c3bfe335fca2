// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.suite;

import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.jobs.endpoints.KafkaOptions;
import dev.flowstone.jobs.endpoints.KafkaSinks;
import dev.flowstone.jobs.endpoints.PacketBatchOptions;
import java.net.URL;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.testframe.external.ExternalSystemDataReader;
import org.apache.flink.connector.testframe.external.sink.DataStreamSinkV2ExternalContext;
import org.apache.flink.connector.testframe.external.sink.TestingSinkSettings;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The topic of one test case of Flink's suite. */
final class PacketTopic implements DataStreamSinkV2ExternalContext<String> {
  private static final int TEXTS = 200;

  private final KafkaTopic topic;
  private final DeliveryGuarantee delivery;
  private final List<Messages> readers = new ArrayList<>();
  private int numbers;

  PacketTopic(KafkaTopic topic, DeliveryGuarantee delivery) throws InterruptedException {
    this.topic = topic;
    this.delivery = delivery;
    topic.create(TextBlocks.RINGS);
  }

  @Override
  public Sink<String> createSink(TestingSinkSettings settings) {
    KafkaOptions options = new KafkaOptions();
    options.bootstrapServers = topic.bootstrapServers();
    options.delivery = delivery;
    return new TextSink<>(
        KafkaSinks.ofPackets(options, topic.name(), topic.name(), new PacketBatchOptions()));
  }

  @Override
  public ExternalSystemDataReader<String> createSinkDataReader(TestingSinkSettings settings) {
    Messages messages = new Messages(topic);
    readers.add(messages);
    return messages;
  }

  /** What a consumer reads that knows Kafka alone. */
  private static final class Messages implements ExternalSystemDataReader<String> {
    private final KafkaConsumer<byte[], byte[]> consumer;

    Messages(KafkaTopic topic) {
      consumer =
          new KafkaConsumer<>(
              Map.of(
                  ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, topic.bootstrapServers(),
                  ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed",
                  ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest"),
              new ByteArrayDeserializer(),
              new ByteArrayDeserializer());
      consumer.assign(
          IntStream.range(0, TextBlocks.RINGS)
              .mapToObj(partition -> new TopicPartition(topic.name(), partition))
              .toList());
    }

    @Override
    public List<String> poll(Duration timeout) {
      List<String> texts = new ArrayList<>();
      consumer.poll(timeout).forEach(message -> texts.add(TextBlocks.text(message.value())));
      return texts;
    }

    @Override
    public void close() {
      consumer.close();
    }
  }

  @Override
  public List<String> generateTestData(TestingSinkSettings settings, long seed) {
    return IntStream.range(0, TEXTS).mapToObj(_ -> Integer.toString(numbers++)).toList();
  }

  @Override
  public TypeInformation<String> getProducedType() {
    return Types.STRING;
  }

  @Override
  public List<URL> getConnectorJarPaths() {
    return List.of();
  }

  @Override
  public void close() {
    readers.forEach(Messages::close);
  }
}
