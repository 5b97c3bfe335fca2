// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

class PlatformJobTest {
  private final StreamExecutionEnvironment environment =
      StreamExecutionEnvironment.getExecutionEnvironment();

  private static PlatformOptions options() {
    PlatformOptions options = new PlatformOptions();
    options.rings = Path.of("rings");
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
    atLeastOnce.delivery = DeliveryGuarantee.AT_LEAST_ONCE;
    PlatformJob.build(environment, atLeastOnce);
    PlatformOptions bounded = options();
    bounded.bounded = true;
    PlatformJob.build(environment, bounded);
    environment.enableCheckpointing(1_000);
    PlatformJob.build(environment, options());
    assertThat(environment.getStreamGraph().getStreamNodes()).isNotEmpty();
  }

  @Test
  void shouldSayWhatIsWrongWithAnOption() {
    assertThatThrownBy(
            () -> PlatformJob.main(new String[] {"--rings", "x", "--compression", "zip"}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--compression")
        .hasMessageContaining("LZ4");
    assertThatThrownBy(() -> PlatformJob.main(new String[] {"--rings", "x", "--colour", "red"}))
        .hasMessageContaining("--colour");
  }
}
