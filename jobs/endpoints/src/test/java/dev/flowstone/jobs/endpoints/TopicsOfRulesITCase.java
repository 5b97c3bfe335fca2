// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.operators.ruled.RulesNeeds;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.rules.RuleSet;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class TopicsOfRulesITCase {
  private static final RuleSet RULES =
      new RulesText(
              1,
              "test",
              """
              rules:
                - {name: web, match: {source_port: 443}, function: pass, topic: web-packets}
                - {name: names, match: {source_port: 53}, function: histogram, topic: names}
              default: {function: pass}
              """)
          .read()
          .rules();

  @TempDir private Path folder;

  /** It travels to the JobManager with the job. */
  private static RulesNeeds sent(RulesNeeds needs) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(needs);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (RulesNeeds) in.readObject();
    }
  }

  @Test
  void shouldMissTopicsUntilTheyAreThereAndTakeNoSilenceForAnAnswer() throws Exception {
    BrokerOptions options = BrokerOptions.in(folder.resolve("kafka"));
    BrokerProcess broker = BrokerProcess.start(options);
    KafkaOptions kafka = new KafkaOptions();
    kafka.bootstrapServers = broker.bootstrapServers();
    try (RulesNeeds.Asking asking = sent(TopicsOfRules.at(kafka)).begin();
        RulesNeeds.Asking ownLimit = sent(TopicsOfRules.at(givingUpByItself(kafka))).begin()) {
      assertThat(asking.missing(RULES).orElseThrow())
          .startsWith("rule web: there is no topic web-packets at " + kafka.bootstrapServers + ": ")
          .contains("--create --topic web-packets");
      new KafkaTopic(kafka.bootstrapServers, "web-packets").create(1);
      assertThat(awaitChange(asking, "rule web: ")).startsWith("rule names: ");
      new KafkaTopic(kafka.bootstrapServers, "names").create(1);
      assertThat(awaitChange(asking, "rule names: ")).isEmpty();
      assertThat(ownLimit.missing(RULES)).isEmpty();

      broker.handle().destroyForcibly();
      broker.handle().onExit().join();
      for (RulesNeeds.Asking each : List.of(asking, ownLimit)) {
        assertThatThrownBy(() -> each.missing(RULES))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("no broker answers");
      }
      requireThatNobodyIsReached(kafka.bootstrapServers);
      broker = BrokerProcess.start(options.onPort(broker.port()));
      assertThat(asking.missing(RULES)).isEmpty();
    } finally {
      broker.close();
    }
  }

  /** Brokers hear of a topic a moment after it was made. */
  private static String awaitChange(RulesNeeds.Asking asking, String former) throws Exception {
    String missing = former;
    for (int looks = 0; looks < 100 && missing.startsWith(former); looks++) {
      missing = asking.missing(RULES).orElse("");
      Thread.sleep(50);
    }
    return missing;
  }

  /** Kafka's client has a limit of its own, which a user may set. */
  private static KafkaOptions givingUpByItself(KafkaOptions kafka) {
    KafkaOptions options = new KafkaOptions();
    options.bootstrapServers = kafka.bootstrapServers;
    options.property.put("request.timeout.ms", "3000");
    options.property.put("default.api.timeout.ms", "3000");
    return options;
  }

  private static void requireThatNobodyIsReached(String servers) {
    RulesNeeds hasty = new TopicsOfRules(servers, Map.of(), Duration.ofMillis(200));
    try (RulesNeeds.Asking asking = hasty.begin()) {
      assertThatThrownBy(() -> asking.missing(RULES))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("no Kafka broker answers at " + servers);
    }
  }
}
