// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.jobs.endpoints.KafkaOptions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A topic of rules, and what somebody writes to it. */
record RulesTopic(String bootstrapServers, String name) {
  private static final int MOST_BYTES = 16 << 20;

  void create(int partitions) throws InterruptedException {
    topic().create(partitions, Map.of("max.message.bytes", "" + MOST_BYTES));
  }

  void delete() throws InterruptedException {
    topic().delete();
  }

  private KafkaTopic topic() {
    return new KafkaTopic(bootstrapServers, name);
  }

  KafkaOptions options() {
    KafkaOptions options = new KafkaOptions();
    options.bootstrapServers = bootstrapServers;
    return options;
  }

  void send(String... rules) throws Exception {
    for (String each : rules) {
      send(each.getBytes(UTF_8));
    }
  }

  /** Null: a message without content. */
  void send(byte[] rules) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
      producer.send(new ProducerRecord<>(name, rules)).get(30, TimeUnit.SECONDS);
    }
  }

  /** In a transaction that is committed, given up, or left open until the producer is closed. */
  KafkaProducer<byte[], byte[]> sendInTransaction(String id, List<String> rules) throws Exception {
    KafkaProducer<byte[], byte[]> producer =
        producer(Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id));
    producer.initTransactions();
    producer.beginTransaction();
    for (String each : rules) {
      producer.send(new ProducerRecord<>(name, each.getBytes(UTF_8))).get(30, TimeUnit.SECONDS);
    }
    return producer;
  }

  KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(more);
    settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    settings.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MOST_BYTES);
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }
}
