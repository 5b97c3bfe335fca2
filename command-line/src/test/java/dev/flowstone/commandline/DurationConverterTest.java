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
    "0s, PT0S"
  })
  void shouldReadWhatPeopleWrite(String text, Duration duration) {
    assertThat(new DurationConverter().convert(text)).isEqualTo(duration);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "10", "-1s", "1e3s", "10m", "s", "1s 2s", "999999999d"})
  void shouldRefuseWhatIsNone(String text) {
    assertThatThrownBy(() -> new DurationConverter().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("duration");
  }
}
