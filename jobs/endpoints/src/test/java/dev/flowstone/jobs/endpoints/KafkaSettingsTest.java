// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class KafkaSettingsTest {
  @TempDir private Path folder;

  private static KafkaOptions options(String... arguments) {
    KafkaOptions options = new KafkaOptions();
    CommandLine line = new CommandLine(options).setCaseInsensitiveEnumValuesAllowed(true);
    line.parseArgs(arguments);
    return options;
  }

  private Path file(String... lines) throws Exception {
    return Files.write(folder.resolve("kafka.properties"), List.of(lines));
  }

  @Test
  void shouldPutSinglePropertiesBeforeTheFileAndTheFileBeforeWhatSuitsTheJob() throws Exception {
    Path file = file("security.protocol=SSL", "linger.ms=7", "batch.size=1234");
    KafkaOptions options =
        options(
            "--kafka-properties=" + file,
            "--kafka-property=linger.ms=9",
            "--kafka-property=sasl.jaas.config=a.Module required password=\"p=q\";");
    assertThat(KafkaSettings.producer(options))
        .containsEntry("security.protocol", "SSL")
        .containsEntry("batch.size", "1234")
        .containsEntry("linger.ms", "9")
        .containsEntry("sasl.jaas.config", "a.Module required password=\"p=q\";");
    assertThat(KafkaSettings.admin(options))
        .containsEntry("security.protocol", "SSL")
        .containsEntry("bootstrap.servers", "localhost:9092")
        .containsEntry("sasl.jaas.config", "a.Module required password=\"p=q\";");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "acks",
        "enable.idempotence",
        "key.serializer",
        "value.serializer",
        "transactional.id",
        "transaction.timeout.ms",
        "bootstrap.servers",
        "compression.type"
      })
  void shouldRefuseWhatIsTheJobs(String name) throws Exception {
    KafkaOptions single = options("--kafka-property=" + name + "=secret");
    assertThatThrownBy(() -> KafkaSettings.producer(single))
        .hasMessageContaining("--kafka-property: " + name)
        .hasMessageNotContaining("secret");
    Path file = file(name + "=secret");
    KafkaOptions inFile = options("--kafka-properties=" + file);
    assertThatThrownBy(() -> KafkaSettings.admin(inFile))
        .hasMessageContaining(file + ": " + name)
        .hasMessageNotContaining("secret");
  }

  @Test
  void shouldNameAFileThatCannotBeRead() {
    KafkaOptions options = options("--kafka-properties=" + folder.resolve("none"));
    assertThatThrownBy(() -> KafkaSettings.producer(options))
        .hasMessageContaining("--kafka-properties")
        .hasMessageContaining(folder.resolve("none").toString());
  }

  @Test
  void shouldCompressAsItIsTold() {
    assertThat(KafkaSettings.producer(options("--compression=lz4")))
        .containsEntry("compression.type", "lz4");
  }

  @Test
  void shouldTellTheTimeoutAndRefuseOneThatKafkaCannotCount() {
    assertThat(KafkaSettings.producer(options())).containsEntry("transaction.timeout.ms", "900000");
    KafkaOptions options = options("--transaction-timeout=90 s");
    assertThat(options.transactionTimeout).isEqualTo(Duration.ofSeconds(90));
    assertThat(KafkaSettings.producer(options)).containsEntry("transaction.timeout.ms", "90000");
    for (String bad : List.of("0 s", "30 d")) {
      KafkaOptions tooLong = options("--transaction-timeout=" + bad);
      assertThatThrownBy(() -> KafkaSettings.producer(tooLong))
          .hasMessageContaining("--transaction-timeout must be");
    }
    assertThatThrownBy(() -> options("--transaction-timeout=soon"))
        .hasMessageContaining("--transaction-timeout")
        .hasMessageContaining("15min");
  }
}
