// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.jobs.entry.JobEntry;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlatformJobTest {
  private final StreamExecutionEnvironment environment =
      StreamExecutionEnvironment.getExecutionEnvironment();

  private static PlatformOptions options() {
    PlatformOptions options = new PlatformOptions();
    options.rings.folders = List.of(Path.of("rings"));
    return options;
  }

  @Test
  void shouldRefuseToWriteWhatIsNeverCommitted() {
    assertThatThrownBy(() -> PlatformJob.build(environment, options()))
        .hasMessageContaining("execution.checkpointing.interval")
        .hasMessageContaining("at-least-once");
  }

  @Test
  void shouldBuildWhatIsCommittedOrNeedsNoCommit() {
    PlatformOptions atLeastOnce = options();
    atLeastOnce.kafka.delivery = DeliveryGuarantee.AT_LEAST_ONCE;
    PlatformJob.build(environment, atLeastOnce);
    PlatformOptions bounded = options();
    bounded.rings.bounded = true;
    PlatformJob.build(environment, bounded);
    environment.enableCheckpointing(1_000);
    PlatformJob.build(environment, options());
    assertThat(environment.getStreamGraph().getStreamNodes()).isNotEmpty();
  }

  @Test
  void shouldGiveEachKindOfMessageATopicOfItsOwn(@TempDir Path folder) throws Exception {
    PlatformOptions options = options();
    options.stages.topic = options.topic;
    assertThatThrownBy(options::requireSense).hasMessageContaining("--stages-topic and --topic");

    options.stages.topic = "counts";
    options.rules.file =
        Files.writeString(
            folder.resolve("rules.yaml"), "rules: []\ndefault: {function: pass, topic: counts}");
    assertThatThrownBy(options::requireSense).hasMessageContaining("topic counts takes the job's");

    PlatformOptions ofFlows = options();
    ofFlows.rules.file =
        Files.writeString(
            folder.resolve("flows.yaml"),
            "rules: []\ndefault: {function: aggregate, topic: packets}");
    assertThatThrownBy(ofFlows::requireSense).hasMessageContaining("topic packets takes the job's");

    options.resultsTopic = "two words";
    assertThatThrownBy(options::requireSense).hasMessageStartingWith("--results-topic: ");
  }

  @Test
  void shouldTellAStoreWhatStagesCountWithoutRulesToo() {
    PlatformOptions options = options();
    options.questDb.address = URI.create("http://localhost:9000");
    options.requireSense();
    environment.enableCheckpointing(1_000);
    PlatformJob.build(environment, options);
    assertThat(environment.getStreamGraph().getStreamNodes())
        .extracting(node -> node.getOperatorName())
        .contains("QuestDB: stages");
    options.stages.interval = Duration.ZERO;
    assertThatThrownBy(options::requireSense).hasMessageStartingWith("--questdb gets what");
  }

  @Test
  void shouldNotBeginWhereNoBrokerIs() {
    assertThatThrownBy(
            () ->
                JobEntry.run(
                    new PlatformCommand(),
                    "--rings",
                    "no-rings-yet",
                    "--bootstrap-servers",
                    "localhost:1",
                    "--kafka-property",
                    "request.timeout.ms=500",
                    "--kafka-property",
                    "default.api.timeout.ms=500"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no Kafka broker answers at localhost:1");
  }

  @ParameterizedTest
  @CsvSource({
    "--batch-packets, 0, 1 to 65535",
    "--batch-packets, 65536, 1 to 65535",
    "--batch-wait-ms, -1, 0 to 60000",
    "--batch-wait-ms, 9223372036854775807, 0 to 60000",
    "--lane-expiry, 1s, 5s to 365d",
    "--transaction-timeout, 500ms, 1s to 24d"
  })
  void shouldNameTheOptionWhoseNumberMakesNoSense(String option, String value, String allowed) {
    assertThatThrownBy(() -> JobEntry.run(new PlatformCommand(), "--rings", "x", option, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(option + " must be " + allowed + ": " + value);
  }

  @Test
  void shouldSayWhatIsWrongWithAnOption() {
    assertThatThrownBy(
            () -> JobEntry.run(new PlatformCommand(), "--rings", "x", "--compression", "zip"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--compression")
        .hasMessageContaining("LZ4");
    assertThatThrownBy(() -> JobEntry.run(new PlatformCommand(), "--rings", "x", "--colour", "red"))
        .hasMessageContaining("--colour");
  }
}
