// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.broker.process.SharedBroker;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.operators.ruled.RulesNeeds;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.rules.RuleSet;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
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

  private static final Duration SHORT = Duration.ofSeconds(1);

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
  void shouldMissTopicsUntilTheyAreThere() throws Exception {
    KafkaOptions kafka = at(SharedBroker.bootstrapServers());
    try (RulesNeeds.Asking asking = sent(TopicsOfRules.at(kafka)).begin()) {
      assertThat(asking.missing(RULES).orElseThrow())
          .startsWith("rule web: there is no topic web-packets at " + kafka.bootstrapServers + ": ")
          .contains("broker topics create web-packets ");
      new KafkaTopic(kafka.bootstrapServers, "web-packets").create(1);
      assertThat(awaitChange(asking, "rule web: ")).startsWith("rule names: ");
      new KafkaTopic(kafka.bootstrapServers, "names").create(1);
      assertThat(awaitChange(asking, "rule names: ")).isEmpty();
    }
  }

  /** It takes connections and never answers, as a broker that hangs. */
  @Test
  void shouldReachNoBrokerWhereNoneAnswers() throws Exception {
    try (ServerSocket mute = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String servers = "127.0.0.1:" + mute.getLocalPort();
      try (RulesNeeds.Asking asking =
          sent(new TopicsOfRules(servers, Map.of(), Duration.ofMillis(1))).begin()) {
        assertThatThrownBy(() -> asking.missing(RULES))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("no Kafka broker answers at " + servers);
      }
    }
  }

  @Test
  @Tag("slow")
  void shouldTakeNoSilenceForAnAnswerAndAskTheBrokerThatComesBack() throws Exception {
    BrokerOptions options = BrokerOptions.in(folder.resolve("kafka"));
    BrokerProcess broker = BrokerProcess.start(options);
    String servers = broker.bootstrapServers();
    try (RulesNeeds.Asking asking = new TopicsOfRules(servers, Map.of(), SHORT).begin();
        RulesNeeds.Asking ownLimit = TopicsOfRules.at(givingUpByItself(at(servers))).begin()) {
      assertThat(awaitAnswer(asking)).startsWith("rule web: there is no topic");
      assertThat(awaitAnswer(ownLimit)).startsWith("rule web: there is no topic");
      broker.handle().destroyForcibly();
      broker.handle().onExit().join();
      for (RulesNeeds.Asking each : List.of(asking, ownLimit)) {
        assertThatThrownBy(() -> each.missing(RULES))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("no broker answers");
      }
      broker = BrokerProcess.start(options.onPort(broker.port()));
      assertThat(awaitAnswer(asking)).startsWith("rule web: there is no topic");
    } finally {
      broker.close();
    }
  }

  private static KafkaOptions at(String servers) {
    KafkaOptions kafka = new KafkaOptions();
    kafka.bootstrapServers = servers;
    return kafka;
  }

  /** A busy broker answers late: then the question is repeated. */
  private static String awaitAnswer(RulesNeeds.Asking asking) throws Exception {
    IOException unanswered = null;
    for (int questions = 0; questions < 100; questions++) {
      try {
        return asking.missing(RULES).orElse("");
      } catch (IOException e) {
        unanswered = e;
      }
    }
    throw new AssertionError("no answer", unanswered);
  }

  /** Brokers hear of a topic a moment after it was made. */
  private static String awaitChange(RulesNeeds.Asking asking, String former) throws Exception {
    String missing = asking.missing(RULES).orElse("");
    while (missing.startsWith(former)) {
      Thread.sleep(50);
      missing = asking.missing(RULES).orElse("");
    }
    return missing;
  }

  /** Kafka's client has a limit of its own, which a user may set. */
  private static KafkaOptions givingUpByItself(KafkaOptions options) {
    options.property.put("request.timeout.ms", "" + SHORT.toMillis());
    options.property.put("default.api.timeout.ms", "" + SHORT.toMillis());
    return options;
  }
}
