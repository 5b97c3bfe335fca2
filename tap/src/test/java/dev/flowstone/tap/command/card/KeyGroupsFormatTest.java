// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.tap.card.CardShape;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyGroupsFormatTest {
  private static final CardShape OPTIONS = new CardShape(2, 16, 128);

  private static CardShape parse(String text) {
    return new KeyGroupsFormat(OPTIONS)
        .parse(text.getBytes(StandardCharsets.UTF_8), Path.of("key-groups.conf"));
  }

  @Test
  void shouldTakeBothNumbers() {
    assertThat(parse("# from tonight on\n\nring-count = 4  # twice\n max-parallelism=256\r\n"))
        .isEqualTo(new CardShape(4, 16, 256));
  }

  @Test
  void shouldLeaveWhatTheFileDoesNotSayAsOptionsDo() {
    assertThat(parse("ring-count = 8")).isEqualTo(new CardShape(8, 16, 128));
    assertThat(parse("max-parallelism = 64")).isEqualTo(new CardShape(2, 16, 64));
    assertThat(parse("")).isEqualTo(OPTIONS);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          #\\nrings = 4                        | key-groups.conf:2: 'rings = 4' is none of ring-count = N, max-parallelism = N
          ring-count                          | key-groups.conf:1: 'ring-count' is none of ring-count = N, max-parallelism = N
          ring-count = four                   | key-groups.conf:1: 'four' is no number
          ring-count = 4\\nring-count = 4      | key-groups.conf:2: ring-count stands twice
          ring-count = 9                      | key-groups.conf: rings of a card must be 1 to 8: 9
          ring-count = 4\\nmax-parallelism = 2 | key-groups.conf: 4 rings need as many key groups, and max parallelism is 2
          max-parallelism = 100               | key-groups.conf: a card wants a power of two as max parallelism: 100
          """)
  void shouldSayWhatIsWrongAndWhere(String text, String said) {
    assertThatThrownBy(() -> parse(text.replace("\\n", "\n")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(said);
  }
}
