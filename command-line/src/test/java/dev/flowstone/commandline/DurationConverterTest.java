// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationConverterTest {
  @ParameterizedTest
  @CsvSource({
    "500ms, PT0.5S",
    "2s, PT2S",
    "2 S, PT2S",
    "0.25s, PT0.25S",
    "15min, PT15M",
    "6h, PT6H",
    "7d, PT168H",
    "0s, PT0S",
    "250us, PT0.00025S",
    "7 ns, PT0.000000007S",
    "1.5 m, PT1M30S"
  })
  void shouldReadWhatPeopleWrite(String text, Duration duration) {
    assertThat(new DurationConverter().convert(text)).isEqualTo(duration);
  }

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0s",
    "PT0.00025S, 250us",
    "PT90S, 90s",
    "PT15M, 15min",
    "PT48H, 2d",
    "PT0.000000001S, 1ns"
  })
  void shouldWriteWhatItReads(Duration duration, String text) {
    assertThat(DurationText.of(duration)).isEqualTo(text);
    assertThat(DurationText.parse(text)).isEqualTo(duration);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "10", "-1s", "1e3s", "s", "0.5ns", "1s 2s", "999999999d"})
  void shouldRefuseWhatIsNone(String text) {
    assertThatThrownBy(() -> new DurationConverter().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("expected a");
  }
}
