// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ExecutionOptionsTest {
  private final Configuration configuration =
      new Configuration().set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(2));

  private ExecutionOptions parse(String... arguments) {
    ExecutionOptions options = new ExecutionOptions();
    new CommandLine(options).parseArgs(arguments);
    options.putInto(configuration);
    return options;
  }

  private Duration interval() {
    return configuration.get(CheckpointingOptions.CHECKPOINTING_INTERVAL);
  }

  @Test
  void shouldLeaveWhatTheConfigurationSays() {
    assertThat(parse().parallelism()).isEqualTo(1);
    assertThat(interval()).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void shouldNameTheOptionWhoseIntervalFlinkWouldNotTake() {
    assertThatThrownBy(() -> parse("--checkpoint-interval", "9 ms"))
        .hasMessage("--checkpoint-interval must be 10ms or more: 9ms");
    parse("--checkpoint-interval", "10 ms");
  }

  @Test
  void shouldPrevailOverTheConfiguration() {
    assertThat(parse("--parallelism", "3", "--checkpoint-interval", "7 s").parallelism())
        .isEqualTo(3);
    assertThat(interval()).isEqualTo(Duration.ofSeconds(7));
  }
}
