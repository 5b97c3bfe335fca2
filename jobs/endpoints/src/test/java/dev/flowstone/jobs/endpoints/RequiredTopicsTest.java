// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.jobs.entry.JobStart;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

/** On brokers of which only the answers are there; DeploymentITCase asks a real one. */
class RequiredTopicsTest {
  private final KafkaOptions options = new KafkaOptions();
  private final List<String> said = new ArrayList<>();

  /** Settings that are missing may not be asked for; a topic without partitions neither. */
  private record Told(Map<String, Integer> topics, Map<String, List<String>> settings)
      implements Brokers {
    @Override
    public List<String> setting(String name) throws ExecutionException {
      if (!settings.containsKey(name)) {
        throw new ExecutionException(new ClusterAuthorizationException("not authorized"));
      }
      return settings.get(name);
    }

    @Override
    public int partitions(String topic) throws ExecutionException {
      if (!topics.containsKey(topic)) {
        throw new ExecutionException(new UnknownTopicOrPartitionException());
      }
      if (topics.get(topic) == 0) {
        throw new ExecutionException(new TopicAuthorizationException("not authorized"));
      }
      return topics.get(topic);
    }
  }

  private static Map<String, List<String>> creating(String... willing) {
    return Map.of(
        "auto.create.topics.enable", List.of(willing), "num.partitions", List.of("1", "1"));
  }

  private void check(Brokers brokers, int partitions, String... topics)
      throws InterruptedException {
    new RequiredTopics(options, brokers, new JobStart(1, 128, said::add))
        .check(Stream.of(topics).map(topic -> new WantedTopic(topic, partitions)).toList());
  }

  @Test
  void shouldSayNothingOfTopicsThatSuit() throws Exception {
    check(new Told(Map.of("a", 4, "b", 2), Map.of()), 2, "a", "b");
    check(new Told(Map.of("a", 1), Map.of()), 0, "a");
    assertThat(said).isEmpty();
  }

  @Test
  void shouldRefuseEachThatIsNotThereAndSayHowToMakeIt() {
    options.propertiesFile = Path.of("tls.properties");
    Brokers brokers = new Told(Map.of("a", 2), creating("false", "false"));
    assertThatThrownBy(() -> check(brokers, 2, "a", "b", "c"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("there is no topic b, c at localhost:9092")
        .hasMessageContaining(
            "./flowstone broker topics create c --bootstrap-servers localhost:9092"
                + " --kafka-properties tls.properties --partitions 2");
    assertThatThrownBy(() -> check(brokers, 0, "b")).hasMessageContaining("as the tap has rings");
    Brokers oneOfTwo = new Told(Map.of(), creating("true", "false"));
    assertThatThrownBy(() -> check(oneOfTwo, 2, "b")).hasMessageContaining("there is no topic b");
  }

  /** Kafka makes it for the job's first message, as it would for any other producer. */
  @Test
  void shouldWarnWhereKafkaWillMakeIt() throws Exception {
    check(new Told(Map.of(), creating("true", "true")), 2, "b");
    assertThat(said)
        .singleElement()
        .asString()
        .startsWith("warning: there is no topic b yet; Kafka creates it")
        .contains("num.partitions 1", "broker topics create b ");
  }

  @Test
  void shouldWarnOfFewerPartitionsThanRings() throws Exception {
    check(new Told(Map.of("a", 1), Map.of()), 2, "a");
    assertThat(said)
        .singleElement()
        .asString()
        .startsWith("warning: topic a has 1 partition for 2 rings")
        .contains("broker topics alter a --bootstrap-servers localhost:9092 --partitions 2");
  }

  /** A topic may have both; packets need more. */
  @Test
  void shouldWantAPartitionForEachRingOfPacketsAlone() throws Exception {
    Told brokers = new Told(Map.of("results", 1, "both", 2), Map.of());
    RequiredTopics topics = new RequiredTopics(options, brokers, new JobStart(1, 128, said::add));
    topics.check(List.of(WantedTopic.ofResults("results")));
    assertThat(said).isEmpty();
    topics.check(List.of(WantedTopic.ofPackets("both", 3), WantedTopic.ofResults("both")));
    assertThat(said).singleElement().asString().contains("topics alter both ", "--partitions 3");
  }

  @Test
  void shouldGoOnWhereItMayNotAsk() throws Exception {
    check(new Told(Map.of("a", 0), Map.of()), 2, "a");
    check(new Told(Map.of(), Map.of()), 2, "b");
    assertThat(said).hasSize(2).allMatch(line -> line.startsWith("warning: cannot"));
    assertThat(said.get(1)).contains("no topic b", "not authorized");
  }
}
