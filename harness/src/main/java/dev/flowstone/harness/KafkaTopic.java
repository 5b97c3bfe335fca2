// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeProducersResult.PartitionProducerState;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/** A topic of one broker, with a partition for each ring. */
public record KafkaTopic(String bootstrapServers, String name) {
  private static final short ONE_REPLICA = 1;

  /** Longer than Kafka's clients try by themselves. */
  private static final long ANSWER_LIMIT_SECONDS = 90;

  private static final long LOOK_INTERVAL_MS = 20;

  public void create(int partitionCount) throws InterruptedException {
    create(partitionCount, Map.of());
  }

  /**
   * As {@link #create(int)}, with other settings than the broker's.
   *
   * @param settings of the topic, as Kafka names them
   */
  public void create(int partitionCount, Map<String, String> settings) throws InterruptedException {
    NewTopic topic = new NewTopic(name, partitionCount, ONE_REPLICA).configs(settings);
    ask("make", admin -> admin.createTopics(List.of(topic)).all());
    awaitKnown();
  }

  /** A busy broker has made one before it knows of it: whoever asked in between would hear no. */
  private void awaitKnown() throws InterruptedException {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(ANSWER_LIMIT_SECONDS);
    while (!ask("find", admin -> admin.listTopics().names()).contains(name)) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new IllegalStateException(
            "%s does not know topic %s, which it made %d s ago"
                .formatted(bootstrapServers, name, ANSWER_LIMIT_SECONDS));
      }
      Thread.sleep(LOOK_INTERVAL_MS);
    }
  }

  public void delete() throws InterruptedException {
    ask("delete", admin -> admin.deleteTopics(List.of(name)).all());
  }

  /**
   * Ends of all that is written, committed or not: a commit's last markers may still be on their
   * way when a job has ended, and what they commit cannot be read before.
   */
  Map<TopicPartition, Long> writtenEnds(List<TopicPartition> partitions)
      throws InterruptedException {
    Map<TopicPartition, OffsetSpec> latest =
        partitions.stream().collect(Collectors.toMap(p -> p, p -> OffsetSpec.latest()));
    return ask("find the end of", admin -> admin.listOffsets(latest).all()).entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, end -> end.getValue().offset()));
  }

  /**
   * Who holds a transaction open in these partitions, and what their coordinator knows of it: with
   * read_committed nobody reads past its first message.
   */
  List<String> openTransactions(List<TopicPartition> partitions) throws InterruptedException {
    List<String> open = new ArrayList<>();
    for (Map.Entry<TopicPartition, PartitionProducerState> partition :
        ask("see who writes to", admin -> admin.describeProducers(partitions).all()).entrySet()) {
      for (ProducerState producer : partition.getValue().activeProducers()) {
        if (producer.currentTransactionStartOffset().isPresent()) {
          open.add(
              "%s from offset %d on by producer %d, epoch %d, which wrote last %d ms ago: %s"
                  .formatted(
                      partition.getKey(),
                      producer.currentTransactionStartOffset().getAsLong(),
                      producer.producerId(),
                      producer.producerEpoch(),
                      System.currentTimeMillis() - producer.lastTimestamp(),
                      knownOf(producer.producerId())));
        }
      }
    }
    return open;
  }

  private String knownOf(long producer) throws InterruptedException {
    var ofProducer = new ListTransactionsOptions().filterProducerIds(Set.of(producer));
    return ask("find transactions of", admin -> admin.listTransactions(ofProducer).all()).stream()
        .map(known -> known.transactionalId() + " is " + known.state())
        .findFirst()
        .orElse("no coordinator knows it");
  }

  private <T> T ask(String what, Function<Admin, KafkaFuture<T>> question)
      throws InterruptedException {
    Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers));
    try {
      return await(what, question.apply(admin));
    } finally {
      // What has not been answered by now is awaited by nobody.
      admin.close(Duration.ZERO);
    }
  }

  private <T> T await(String what, KafkaFuture<T> answer) throws InterruptedException {
    try {
      return answer.get(ANSWER_LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException(
          "cannot "
              + what
              + " topic "
              + name
              + ": no answer from "
              + bootstrapServers
              + " for "
              + ANSWER_LIMIT_SECONDS
              + " s",
          e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(
          "cannot " + what + " topic " + name + " at " + bootstrapServers + ": " + e.getCause(),
          e.getCause());
    }
  }
}
