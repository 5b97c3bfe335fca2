// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TextFileTest {
  @TempDir private Path folder;

  /** Rules behind the last byte that is read would be left out without a word. */
  @Test
  void shouldRefuseAFileOfOneByteMoreThanThereMayBe() throws Exception {
    Path file = folder.resolve("rules.yaml");
    Files.write(file, new byte[TextFile.MOST_BYTES]);
    assertThat(TextFile.read(file)).hasSize(TextFile.MOST_BYTES);
    Files.write(file, new byte[TextFile.MOST_BYTES + 1]);
    assertThatThrownBy(() -> TextFile.read(file))
        .isInstanceOf(RulesFileException.class)
        .hasMessageContaining(file + ":1:1: more than 4194304 bytes are no rules");
  }
}
