// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import dev.flowstone.jobs.entry.JobStart;
import dev.flowstone.offheap.Reason;
import java.nio.file.FileSystemException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;

/**
 * The brokers that a job is about to use, asked before it starts for what its producers would learn
 * late and without a reason. Whoever reaches them closes this.
 */
final class ReachedBrokers implements Brokers, AutoCloseable {
  private static final Duration SILENT_WAIT = Duration.ofSeconds(2);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(15);

  private final Admin admin;
  private final Collection<Node> nodes;
  private final Duration limit;

  private ReachedBrokers(Admin admin, Collection<Node> nodes, Duration limit) {
    this.admin = admin;
    this.nodes = nodes;
    this.limit = limit;
  }

  /**
   * Waits until one answers, and says so when that takes a while.
   *
   * @throws IllegalArgumentException if no client can be made with the options
   * @throws IllegalStateException if none answers
   */
  static ReachedBrokers reach(KafkaOptions options, JobStart start) throws InterruptedException {
    return reach(options, start, SILENT_WAIT, ANSWER_LIMIT);
  }

  /**
   * The same for others than a job that starts.
   *
   * @param silentWait after which the first answer is said to be waited for
   * @param limit of each answer; of the first from then on
   */
  static ReachedBrokers reach(
      KafkaOptions options, JobStart start, Duration silentWait, Duration limit)
      throws InterruptedException {
    BootstrapServers.require(options.bootstrapServers);
    Admin admin = client(options);
    try {
      return new ReachedBrokers(admin, nodes(admin, options, start, silentWait, limit), limit);
    } catch (InterruptedException | RuntimeException e) {
      closeAtOnce(admin);
      throw e;
    }
  }

  private static Admin client(KafkaOptions options) {
    try {
      return Admin.create(KafkaSettings.admin(options));
    } catch (KafkaException e) {
      throw new IllegalArgumentException(
          "Kafka's client cannot be made of --bootstrap-servers and the properties: "
              + options.withoutSecrets(rootReason(e)),
          e);
    }
  }

  private static String rootReason(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root instanceof FileSystemException file
        ? file.getFile() + ": " + Reason.of(file)
        : Reason.of(root);
  }

  private static Collection<Node> nodes(
      Admin admin, KafkaOptions options, JobStart start, Duration silentWait, Duration limit)
      throws InterruptedException {
    KafkaFuture<Collection<Node>> nodes = admin.describeCluster().nodes();
    try {
      try {
        return nodes.get(silentWait.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException notYet) {
        start.say("waiting for Kafka at " + options.bootstrapServers);
        return nodes.get(limit.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (TimeoutException e) {
      throw nobodyAnswers(options, e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof org.apache.kafka.common.errors.TimeoutException) {
        throw nobodyAnswers(options, e);
      }
      throw new IllegalStateException(
          "Kafka at %s refuses: %s"
              .formatted(options.bootstrapServers, options.withoutSecrets(Reason.ofRoot(e))),
          e);
    }
  }

  private static IllegalStateException nobodyAnswers(KafkaOptions options, Exception cause) {
    return new IllegalStateException(
        "no Kafka broker answers at %s: start it, or say where it is (--bootstrap-servers)"
            .formatted(options.bootstrapServers),
        cause);
  }

  @Override
  public List<String> setting(String name)
      throws ExecutionException, InterruptedException, TimeoutException {
    List<ConfigResource> resources =
        nodes.stream()
            .map(node -> new ConfigResource(ConfigResource.Type.BROKER, node.idString()))
            .toList();
    return answer(admin.describeConfigs(resources).all()).values().stream()
        .map(each -> each.get(name))
        .filter(Objects::nonNull)
        .map(ConfigEntry::value)
        .toList();
  }

  @Override
  public int partitions(String topic)
      throws ExecutionException, InterruptedException, TimeoutException {
    return answer(admin.describeTopics(List.of(topic)).topicNameValues().get(topic))
        .partitions()
        .size();
  }

  private <T> T answer(KafkaFuture<T> question)
      throws ExecutionException, InterruptedException, TimeoutException {
    return question.get(limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    closeAtOnce(admin);
  }

  /** By itself it would wait a minute for the answers that are still out. */
  private static void closeAtOnce(Admin admin) {
    admin.close(Duration.ZERO);
  }
}
