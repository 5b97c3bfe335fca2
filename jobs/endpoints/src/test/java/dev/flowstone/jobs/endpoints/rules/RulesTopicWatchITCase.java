// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.rules;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.broker.process.SharedBroker;
import dev.flowstone.operators.ruled.RulesWatch;
import dev.flowstone.operators.ruled.RulesWatch.WrittenRules;
import dev.flowstone.rules.TextFile;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** What is read of a topic on a real broker, look by look. */
@Timeout(120)
class RulesTopicWatchITCase {
  private static RulesTopic topic(TestInfo test) throws Exception {
    return new RulesTopic(
        SharedBroker.bootstrapServers(), test.getTestMethod().orElseThrow().getName());
  }

  private static RulesWatch.Looking begin(RulesTopic topic) {
    return RulesTopicWatch.of(topic.name(), topic.options()).begin();
  }

  private static List<String> texts(List<WrittenRules> written) {
    return written.stream().map(each -> new String(each.bytes(), UTF_8)).toList();
  }

  @Test
  void shouldReadWhatCameSinceTheLastLook(TestInfo test) throws Exception {
    RulesTopic topic = topic(test);
    topic.create(1);
    topic.send("one", "two");
    try (RulesWatch.Looking looking = begin(topic)) {
      List<WrittenRules> written = looking.look();
      assertThat(texts(written)).containsExactly("one", "two");
      assertThat(written.getLast().place()).isEqualTo("topic " + topic.name() + ", offset 1");
      assertThat(looking.look()).isEmpty();
      topic.send("three");
      assertThat(texts(looking.look())).containsExactly("three");
      assertThat(looking.look()).isEmpty();
    }
  }

  @Test
  void shouldHandOverWhatIsNoRulesAsItIs(TestInfo test) throws Exception {
    RulesTopic topic = topic(test);
    topic.create(1);
    byte[] latin1 = {'#', (byte) 0xe9};
    topic.send(latin1);
    topic.send((byte[]) null);
    topic.send(new byte[TextFile.MOST_BYTES + 100]);
    try (RulesWatch.Looking looking = begin(topic)) {
      List<WrittenRules> written = looking.look();
      assertThat(written.get(0).bytes()).isEqualTo(latin1);
      assertThat(written.get(1).bytes()).isEmpty();
      assertThat(written.get(2).bytes()).hasSize(TextFile.MOST_BYTES + 1);
    }
  }

  @Test
  void shouldReadTheNewestOfMany(TestInfo test) throws Exception {
    RulesTopic topic = topic(test);
    topic.create(1);
    sendMany(topic, 0, 100);
    try (RulesWatch.Looking looking = begin(topic)) {
      List<String> newest = texts(looking.look());
      assertThat(newest).hasSize((int) RulesTopicWatch.LOOK_BACK).endsWith("98", "99");
      sendMany(topic, 100, 200);
      newest = texts(looking.look());
      assertThat(newest).hasSize((int) RulesTopicWatch.LOOK_BACK).endsWith("198", "199");
    }
  }

  private static void sendMany(RulesTopic topic, int from, int to) {
    try (KafkaProducer<byte[], byte[]> producer = topic.producer(Map.of())) {
      for (int i = from; i < to; i++) {
        var _ = producer.send(new ProducerRecord<>(topic.name(), ("" + i).getBytes(UTF_8)));
      }
    }
  }

  @Test
  void shouldComeToAnEndWhileSomebodyWritesOnAndOn(TestInfo test) throws Exception {
    RulesTopic topic = topic(test);
    topic.create(1);
    AtomicBoolean goesOn = new AtomicBoolean(true);
    Thread writing =
        Thread.ofPlatform()
            .start(
                () -> {
                  try (KafkaProducer<byte[], byte[]> producer = topic.producer(Map.of())) {
                    while (goesOn.get()) {
                      var _ = producer.send(new ProducerRecord<>(topic.name(), new byte[10]));
                    }
                  }
                });
    try (RulesWatch.Looking looking = begin(topic)) {
      for (int looks = 0; looks < 5; looks++) {
        assertThat(lookUntilItWorks(looking))
            .hasSizeLessThanOrEqualTo((int) RulesTopicWatch.LOOK_BACK);
      }
    } finally {
      goesOn.set(false);
      writing.join();
    }
  }

  @Test
  void shouldReadWhatIsCommittedAlone(TestInfo test) throws Exception {
    RulesTopic topic = topic(test);
    topic.create(1);
    try (RulesWatch.Looking looking = begin(topic)) {
      try (KafkaProducer<byte[], byte[]> producer =
          topic.sendInTransaction("given-up", List.of("no"))) {
        producer.abortTransaction();
      }
      try (KafkaProducer<byte[], byte[]> producer =
          topic.sendInTransaction("committed", List.of("one", "two"))) {
        assertThat(looking.look()).isEmpty();
        producer.commitTransaction();
      }
      List<String> read = texts(looking.look());
      // The marker comes a moment after the commit.
      while (read.isEmpty()) {
        Thread.sleep(50);
        read = texts(looking.look());
      }
      assertThat(read).containsExactly("one", "two");
    }
  }

  @Test
  void shouldWaitForATopicAndNoticeThatItWasMadeAnew(TestInfo test) throws Exception {
    RulesTopic topic = topic(test);
    try (RulesWatch.Looking looking = begin(topic)) {
      assertThatThrownBy(looking::look)
          .isInstanceOf(IOException.class)
          .hasMessage("there is no topic " + topic.name() + " yet: create it with one partition");
      topic.create(1);
      topic.send("one", "two");
      assertThat(texts(lookUntilItWorks(looking))).containsExactly("one", "two");
      topic.delete();
      assertThatThrownBy(
              () -> {
                while (looking.look().isEmpty()) {
                  Thread.sleep(100);
                }
              })
          .isInstanceOf(IOException.class)
          .hasMessageContaining(topic.name());
      topic.create(1);
      topic.send("three");
      assertThat(texts(lookUntilItWorks(looking))).containsExactly("three");
    }
  }

  private static List<WrittenRules> lookUntilItWorks(RulesWatch.Looking looking)
      throws InterruptedException {
    for (int looks = 0; looks < 200; looks++) {
      try {
        List<WrittenRules> written = looking.look();
        if (!written.isEmpty()) {
          return written;
        }
      } catch (IOException notYet) {
        assertThat(notYet).hasMessageContaining("topic");
      }
      Thread.sleep(50);
    }
    throw new AssertionError("nothing came");
  }

  @Test
  void shouldRefuseATopicWhoseNewestMessageIsNotDefined(TestInfo test) throws Exception {
    RulesTopic topic = topic(test);
    topic.create(2);
    try (RulesWatch.Looking looking = begin(topic)) {
      assertThatThrownBy(looking::look)
          .isInstanceOf(IOException.class)
          .hasMessageContaining(topic.name() + " has 2 partitions, and rules need one");
    }
  }
}
