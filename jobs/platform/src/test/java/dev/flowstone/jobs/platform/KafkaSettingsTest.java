// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.platform;

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

  private static PlatformOptions options(String... arguments) {
    PlatformOptions options = new PlatformOptions();
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
    PlatformOptions options =
        options(
            "--rings=x",
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
    PlatformOptions single = options("--rings=x", "--kafka-property=" + name + "=secret");
    assertThatThrownBy(() -> KafkaSettings.producer(single))
        .hasMessageContaining("--kafka-property: " + name)
        .hasMessageNotContaining("secret");
    Path file = file(name + "=secret");
    PlatformOptions inFile = options("--rings=x", "--kafka-properties=" + file);
    assertThatThrownBy(() -> KafkaSettings.admin(inFile))
        .hasMessageContaining(file + ": " + name)
        .hasMessageNotContaining("secret");
  }

  @Test
  void shouldNameAFileThatCannotBeRead() {
    PlatformOptions options = options("--rings=x", "--kafka-properties=" + folder.resolve("none"));
    assertThatThrownBy(() -> KafkaSettings.producer(options))
        .hasMessageContaining("--kafka-properties")
        .hasMessageContaining(folder.resolve("none").toString());
  }

  @Test
  void shouldTellTheTimeoutAndRefuseOneThatKafkaCannotCount() {
    assertThat(KafkaSettings.producer(options("--rings=x")))
        .containsEntry("transaction.timeout.ms", "900000");
    PlatformOptions options = options("--rings=x", "--transaction-timeout=90 s");
    assertThat(options.transactionTimeout).isEqualTo(Duration.ofSeconds(90));
    assertThat(KafkaSettings.producer(options)).containsEntry("transaction.timeout.ms", "90000");
    for (String bad : List.of("0 s", "30 d")) {
      PlatformOptions tooLong = options("--rings=x", "--transaction-timeout=" + bad);
      assertThatThrownBy(() -> KafkaSettings.producer(tooLong))
          .hasMessageContaining("--transaction-timeout must be");
    }
    assertThatThrownBy(() -> options("--rings=x", "--transaction-timeout=soon"))
        .hasMessageContaining("--transaction-timeout")
        .hasMessageContaining("15 min");
  }
}
