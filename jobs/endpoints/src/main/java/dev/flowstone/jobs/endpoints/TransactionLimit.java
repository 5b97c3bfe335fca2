// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import dev.flowstone.jobs.entry.DurationConverter;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The longest transaction that the brokers allow. Asked before the job starts, because a producer
 * learns it late and is told neither number.
 */
final class TransactionLimit {
  private static final Logger LOG = LoggerFactory.getLogger(TransactionLimit.class);
  private static final String SETTING = "transaction.max.timeout.ms";
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(15);

  private TransactionLimit() {}

  /**
   * Refuses a timeout that a broker does, and to begin where no broker is. Who may not ask is
   * warned, and left to the broker.
   */
  static void check(KafkaOptions options) throws InterruptedException {
    // Properties that no client can be made with end the job here.
    try (Admin admin = Admin.create(KafkaSettings.admin(options))) {
      check(options, admin);
    }
  }

  private static void check(KafkaOptions options, Admin admin) throws InterruptedException {
    try {
      for (Config broker : brokers(admin, nodes(options, admin))) {
        require(options.transactionTimeout, Long.parseLong(broker.get(SETTING).value()));
      }
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn(
          "cannot ask {} for {}: {}. --transaction-timeout {} is not checked; a broker that allows"
              + " less refuses the job's transactions",
          options.bootstrapServers,
          SETTING,
          e.getCause() == null ? e.toString() : e.getCause().toString(),
          DurationConverter.spell(options.transactionTimeout));
    }
  }

  private static Collection<Node> nodes(KafkaOptions options, Admin admin)
      throws ExecutionException, InterruptedException {
    try {
      return admin.describeCluster().nodes().get(ANSWER_LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw nobodyAnswers(options, e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof org.apache.kafka.common.errors.TimeoutException) {
        throw nobodyAnswers(options, e);
      }
      throw e;
    }
  }

  private static IllegalStateException nobodyAnswers(KafkaOptions options, Exception cause) {
    return new IllegalStateException(
        "no Kafka broker answers at %s: start it, or say where it is (--bootstrap-servers)"
            .formatted(options.bootstrapServers),
        cause);
  }

  private static Collection<Config> brokers(Admin admin, Collection<Node> nodes)
      throws ExecutionException, InterruptedException, TimeoutException {
    List<ConfigResource> resources =
        nodes.stream()
            .map(node -> new ConfigResource(ConfigResource.Type.BROKER, node.idString()))
            .toList();
    return admin
        .describeConfigs(resources)
        .all()
        .get(ANSWER_LIMIT.toSeconds(), TimeUnit.SECONDS)
        .values();
  }

  private static void require(Duration timeout, long mostMs) {
    if (timeout.toMillis() > mostMs) {
      throw new IllegalArgumentException(
          ("--transaction-timeout is %,d ms, and the broker's %s allows %,d ms: ask for less, or"
                  + " raise the broker's")
              .formatted(timeout.toMillis(), SETTING, mostMs));
    }
  }
}
