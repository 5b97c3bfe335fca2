// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.rules;

import dev.flowstone.jobs.endpoints.KafkaOptions;
import dev.flowstone.jobs.endpoints.KafkaSettings;
import dev.flowstone.offheap.Reason;
import dev.flowstone.operators.ruled.RulesWatch;
import dev.flowstone.rules.TextFile;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kafka topic of one partition, each message a whole rules file: the newest good one counts.
 *
 * @param consumer what Kafka's client is told
 * @param answerLimit how long each answer of a broker may take
 */
record RulesTopicWatch(String topic, Properties consumer, Duration answerLimit)
    implements RulesWatch {
  /** Of messages and markers of transactions: what is older is not looked at. */
  static final long LOOK_BACK = 32;

  private static final Logger LOG = LoggerFactory.getLogger(RulesTopicWatch.class);

  /** After which somebody who gave the topic more partitions is told that it may have but one. */
  private static final String METADATA_AGE_MS = "10000";

  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration DEFAULT_ANSWER_LIMIT = Duration.ofSeconds(5);

  static RulesTopicWatch of(String topic, KafkaOptions options) {
    return of(topic, options, DEFAULT_ANSWER_LIMIT);
  }

  static RulesTopicWatch of(String topic, KafkaOptions options, Duration answerLimit) {
    Properties consumer = KafkaSettings.admin(options);
    consumer.setProperty(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    consumer.setProperty(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    consumer.setProperty(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
    consumer.setProperty(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    consumer.setProperty(ConsumerConfig.METADATA_MAX_AGE_CONFIG, METADATA_AGE_MS);
    return new RulesTopicWatch(topic, consumer, answerLimit);
  }

  @Override
  public Looking begin() {
    return new LookingAtTopic();
  }

  private final class LookingAtTopic implements Looking {
    private static final long NOWHERE = -1;

    /** Null: there is none yet, or its last look failed. */
    private KafkaConsumer<byte[], byte[]> client;

    /** Up to where messages have been handed over. */
    private long next = NOWHERE;

    @Override
    public List<WrittenRules> look() throws IOException {
      try {
        if (client == null) {
          client =
              new KafkaConsumer<>(
                  consumer, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        }
        return lookAt(onlyPartition());
      } catch (TimeoutException e) {
        throw new IOException("topic " + topic + " cannot be read: no broker answers", e);
      } catch (KafkaException e) {
        close();
        throw new IOException("topic " + topic + " cannot be read: " + Reason.of(e), e);
      }
    }

    private TopicPartition onlyPartition() throws IOException {
      int partitions = client.partitionsFor(topic, answerLimit).size();
      if (partitions == 0) {
        next = NOWHERE;
        throw new IOException("there is no topic " + topic + " yet: create it with one partition");
      }
      if (partitions > 1) {
        throw new IOException(
            "topic %s has %d partitions, and rules need one, in which the newest message counts: create it anew with one"
                .formatted(topic, partitions));
      }
      return new TopicPartition(topic, 0);
    }

    private List<WrittenRules> lookAt(TopicPartition partition) throws IOException {
      long end = client.endOffsets(List.of(partition), answerLimit).get(partition);
      if (next == end) {
        return List.of();
      }
      // A topic that ends before was made anew.
      long known = next > end ? NOWHERE : next;
      long from = Math.max(known, end - LOOK_BACK);
      if (known != NOWHERE && from > known) {
        LOG.warn(
            "topic {}: offsets {} to {} are not looked at: no more than {} are at a time",
            topic,
            known,
            from - 1,
            LOOK_BACK);
      }
      long beginning = client.beginningOffsets(List.of(partition), answerLimit).get(partition);
      client.assign(List.of(partition));
      client.seek(partition, Math.max(beginning, from));
      List<WrittenRules> written = readTo(partition, end);
      next = end;
      return written;
    }

    /** No further: whoever writes on and on is looked at the next time. */
    private List<WrittenRules> readTo(TopicPartition partition, long end) throws IOException {
      List<WrittenRules> written = new ArrayList<>();
      long silentSinceNs = System.nanoTime();
      while (client.position(partition, answerLimit) < end) {
        if (System.nanoTime() - silentSinceNs > answerLimit.toNanos()) {
          throw new IOException(
              "topic %s ends at offset %d, and nothing came of it for %d ms"
                  .formatted(topic, end, answerLimit.toMillis()));
        }
        for (ConsumerRecord<byte[], byte[]> message : client.poll(POLL)) {
          silentSinceNs = System.nanoTime();
          if (message.offset() < end) {
            written.add(written(message));
          }
        }
      }
      return written;
    }

    private WrittenRules written(ConsumerRecord<byte[], byte[]> message) {
      byte[] bytes = message.value() == null ? new byte[0] : message.value();
      return new WrittenRules(
          "topic " + topic + ", offset " + message.offset(),
          bytes.length > TextFile.MOST_BYTES
              ? Arrays.copyOf(bytes, TextFile.MOST_BYTES + 1)
              : bytes);
    }

    @Override
    public void close() {
      if (client != null) {
        client.close();
        client = null;
      }
    }
  }
}
