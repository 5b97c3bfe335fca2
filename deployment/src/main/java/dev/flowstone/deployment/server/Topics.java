// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.server;

import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** The topics of Kafka brokers. The caller closes this object. One thread. */
final class Topics implements AutoCloseable {
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(15);
  private static final long POLL_INTERVAL_MS = 50;

  private final Admin admin;
  private final String bootstrapServers;

  Topics(Admin admin, String bootstrapServers) {
    this.admin = admin;
    this.bootstrapServers = bootstrapServers;
  }

  /** Returns the number of partitions of each topic. */
  SortedMap<String, Integer> list() throws IOException, InterruptedException {
    SortedMap<String, Integer> partitions = new TreeMap<>();
    for (TopicDescription topic :
        answer(admin.describeTopics(answer(admin.listTopics().names())).allTopicNames()).values()) {
      partitions.put(topic.name(), topic.partitions().size());
    }
    return partitions;
  }

  /** Returns the number of partitions; empty: the topic does not exist. */
  OptionalInt partitions(String name) throws IOException, InterruptedException {
    try {
      return OptionalInt.of(
          await(admin.describeTopics(List.of(name)).topicNameValues().get(name))
              .partitions()
              .size());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return OptionalInt.empty();
      }
      throw failure(e);
    }
  }

  /** Creates a topic with the brokers' number of replicas, and returns when they can find it. */
  void create(String name, int partitions) throws IOException, InterruptedException {
    answer(
        admin
            .createTopics(List.of(new NewTopic(name, Optional.of(partitions), Optional.empty())))
            .all());
    awaitPartitions(name, partitions);
  }

  /** Gives a topic more partitions. Kafka rejects fewer. */
  void increase(String name, int partitions) throws IOException, InterruptedException {
    answer(admin.createPartitions(Map.of(name, NewPartitions.increaseTo(partitions))).all());
    awaitPartitions(name, partitions);
  }

  /** Brokers answer before all of them know the topic. */
  private void awaitPartitions(String name, int partitions)
      throws IOException, InterruptedException {
    long deadlineNs = System.nanoTime() + ANSWER_LIMIT.toNanos();
    while (partitions(name).orElse(0) < partitions) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new IOException(
            "%s: topic %s is not known %d s after its creation"
                .formatted(bootstrapServers, name, ANSWER_LIMIT.toSeconds()));
      }
      Thread.sleep(POLL_INTERVAL_MS);
    }
  }

  private <T> T answer(KafkaFuture<T> question) throws IOException, InterruptedException {
    try {
      return await(question);
    } catch (ExecutionException e) {
      throw failure(e);
    }
  }

  private <T> T await(KafkaFuture<T> question)
      throws ExecutionException, IOException, InterruptedException {
    try {
      return question.get(ANSWER_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new IOException(
          "no Kafka broker answers at "
              + bootstrapServers
              + ": start it (./flowstone broker start), or correct --bootstrap-servers",
          e);
    }
  }

  private IOException failure(ExecutionException e) {
    return new IOException(bootstrapServers + ": " + Reason.ofRoot(e), e);
  }

  @Override
  public void close() {
    // The usual close waits for answers that are no longer needed.
    admin.close(Duration.ZERO);
  }
}
