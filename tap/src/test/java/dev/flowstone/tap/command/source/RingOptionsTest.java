// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class RingOptionsTest {
  private static final OptionalDouble MILLION = OptionalDouble.of(1e6);

  private static RingOptions parse(String... arguments) {
    RingOptions options = new RingOptions();
    new CommandLine(options).parseArgs(arguments);
    return options;
  }

  @Test
  void shouldHoldTheUsualRateForTheUsualTime() {
    assertThat(parse().sizeWarning(MILLION)).isEmpty();
  }

  @Test
  void shouldSayWhatSizeIsNeeded() {
    // 2,000,000 packets/s x 15 s x 64 bytes / 2 rings = 915.5 MiB each.
    Optional<String> warning =
        parse("--ring-count", "2", "--ring-bytes", "512m").sizeWarning(OptionalDouble.of(2e6));
    assertThat(warning).get().asString().contains("last 8.4 s").contains("--ring-bytes 916m");
  }

  @Test
  void shouldNameSmallSizesAndShortTimes() {
    assertThat(parse("--ring-count", "1", "--ring-bytes", "64k").sizeWarning(MILLION))
        .get()
        .asString()
        .startsWith("rings of 64 KiB last 1.0 ms at");
  }

  @Test
  void shouldRefuseAGroupThatIsNotThere() {
    assertThatThrownBy(() -> parse("--group", "no-such-group"))
        .hasMessageContaining("there is no group no-such-group");
    assertThatCode(() -> parse("--group", "root")).doesNotThrowAnyException();
  }

  @Test
  void shouldTakeTheTimeFromTheUser() {
    RingOptions options = parse("--hold", "60s");
    assertThat(options.sizeWarning(MILLION)).get().asString().contains("want 1min: ");
    assertThat(options.sizeWarning(OptionalDouble.empty())).isEmpty();
  }
}
