// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import dev.flowstone.jobs.entry.JobStart;
import dev.flowstone.offheap.Reason;
import dev.flowstone.operators.ruled.RulesNeeds;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Topics that rules name which come while a job runs. A job whose rules were in force without them
 * would fail at the first packet, and again after each restart.
 *
 * @param properties of Kafka's clients, but for the servers
 * @param patience after which no answer is one
 */
public record TopicsOfRules(
    String bootstrapServers, Map<String, String> properties, Duration patience)
    implements RulesNeeds {
  private static final Logger LOG = LoggerFactory.getLogger(TopicsOfRules.class);

  /** Rules know no rings. */
  private static final int UNKNOWN_RINGS = 0;

  private static final Duration USUAL_PATIENCE = Duration.ofSeconds(5);

  /** As they are where the job is submitted. */
  public static TopicsOfRules at(KafkaOptions options) {
    Properties admin = KafkaSettings.admin(options);
    Map<String, String> properties = new LinkedHashMap<>();
    admin.stringPropertyNames().forEach(name -> properties.put(name, admin.getProperty(name)));
    properties.remove(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG);
    return new TopicsOfRules(options.bootstrapServers, properties, USUAL_PATIENCE);
  }

  /** The properties may hold secrets. */
  @Override
  public String toString() {
    return "topics at " + bootstrapServers;
  }

  @Override
  public Asking begin() {
    KafkaOptions options = new KafkaOptions();
    options.bootstrapServers = bootstrapServers;
    options.property.putAll(properties);
    return new AskingBrokers(options, patience);
  }

  private static final class AskingBrokers implements Asking {
    private final KafkaOptions options;
    private final Duration patience;

    /** What is worth a line if the rules count; while they wait it would be said at each look. */
    private final List<String> said = new ArrayList<>();

    /** Null: none was reached yet, or the last answer did not come. */
    private ReachedBrokers reached;

    AskingBrokers(KafkaOptions options, Duration patience) {
      this.options = options;
      this.patience = patience;
    }

    @Override
    public Optional<String> missing(RuleSet rules) throws IOException, InterruptedException {
      said.clear();
      Map<String, Rule> firstNaming = new LinkedHashMap<>();
      for (Rule rule : rules.rules()) {
        rule.topic().ifPresent(topic -> firstNaming.putIfAbsent(topic, rule));
      }
      if (firstNaming.isEmpty()) {
        return Optional.empty();
      }
      // Neither parallelism nor its bound is asked for.
      JobStart ear = new JobStart(1, 1, said::add);
      RequiredTopics required = new RequiredTopics(options, reach(ear), ear);
      for (Map.Entry<String, Rule> each : firstNaming.entrySet()) {
        String topic = each.getKey();
        String rule = "rule " + each.getValue().name() + ": ";
        try {
          required.check(List.of(WantedTopic.ofPackets(topic, UNKNOWN_RINGS)));
        } catch (IllegalStateException | IllegalArgumentException e) {
          return Optional.of(rule + e.getMessage());
        } catch (UnansweredException e) {
          close();
          throw new IOException(
              "%stopic %s cannot be asked for: %s".formatted(rule, topic, e.getMessage()), e);
        }
      }
      said.forEach(LOG::warn);
      return Optional.empty();
    }

    private Brokers reach(JobStart ear) throws IOException, InterruptedException {
      if (reached == null) {
        try {
          reached = ReachedBrokers.reach(options, ear, Duration.ZERO, patience);
        } catch (IllegalStateException | IllegalArgumentException e) {
          throw new IOException("the topics of rules cannot be asked for: " + e.getMessage(), e);
        }
      }
      return new Answering(reached);
    }

    @Override
    public void close() {
      if (reached != null) {
        reached.close();
        reached = null;
      }
    }
  }

  /** Where a job that starts would go on unasked, rules can wait for an answer. */
  private record Answering(Brokers brokers) implements Brokers {
    @Override
    public List<String> setting(String name) throws ExecutionException, InterruptedException {
      try {
        return brokers.setting(name);
      } catch (TimeoutException e) {
        throw new UnansweredException(e);
      } catch (ExecutionException e) {
        throw answerOf(e);
      }
    }

    @Override
    public int partitions(String topic) throws ExecutionException, InterruptedException {
      try {
        return brokers.partitions(topic);
      } catch (TimeoutException e) {
        throw new UnansweredException(e);
      } catch (ExecutionException e) {
        throw answerOf(e);
      }
    }

    private static ExecutionException answerOf(ExecutionException failure) {
      if (failure.getCause() instanceof org.apache.kafka.common.errors.TimeoutException) {
        throw new UnansweredException(failure);
      }
      return failure;
    }
  }

  private static final class UnansweredException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnansweredException(Exception cause) {
      super("no broker answers: " + Reason.ofRoot(cause), cause);
    }
  }
}
