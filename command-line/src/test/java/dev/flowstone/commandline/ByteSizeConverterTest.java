// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class ByteSizeConverterTest {
  private final ByteSizeConverter converter = new ByteSizeConverter();

  @ParameterizedTest
  @CsvSource({
    "65536, 65536",
    "512k, 524288",
    "256M, 268435456",
    "4GiB, 4294967296",
    "4t, 4398046511104",
    "1kb, 1024"
  })
  void shouldReadSizesAsTheyAreWritten(String text, long bytes) {
    assertThat(converter.convert(text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "1.5g", "4p", "lots"})
  void shouldSayWhatASizeLooksLike(String text) {
    assertThatThrownBy(() -> converter.convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessage("not a size such as 512k, 256m or 4g: " + text);
  }
}
