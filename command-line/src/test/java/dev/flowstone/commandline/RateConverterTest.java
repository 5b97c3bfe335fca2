// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RateConverterTest {
  private final RateConverter converter = new RateConverter();

  @ParameterizedTest
  @CsvSource({"812000,812000", "812k,812000", "1.4M,1400000", "1e6,1000000", "0.5,0.5", "2G,2e9"})
  void shouldReadRatesAsPeopleWriteThem(String text, double packetsPerSecond) {
    assertThat(converter.convert(text)).isEqualTo(packetsPerSecond);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "fast", "1 M", "1MM", "NaN", "1e999"})
  void shouldRefuseWhatIsNoRate(String text) {
    assertThatThrownBy(() -> converter.convert(text)).hasMessageContaining("not a rate");
  }
}
