// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ScriptOutputTest {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final ScriptOutput output = new ScriptOutput(printed);

  @Test
  void shouldPassOnWhatIsPrintedAndNoticeAFailure() throws IOException {
    output.write("| [ERROR] is a word |\n[[ERROR] Could not ".getBytes(UTF_8));
    assertThat(output.hasFailed()).isFalse();
    output.write('e');
    output.write("xecute SQL statement.".getBytes(UTF_8));
    assertThat(output.hasFailed()).isTrue();
    assertThat(printed.toString(UTF_8))
        .isEqualTo("| [ERROR] is a word |\n[[ERROR] Could not execute SQL statement.");
  }
}
