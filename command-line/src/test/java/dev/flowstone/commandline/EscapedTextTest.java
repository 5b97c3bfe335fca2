// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EscapedTextTest {
  @Test
  void shouldShowWhatATerminalWouldObey() {
    assertThat(EscapedText.of("a\u001b[2J\u009b\r\u202eb\u0007"))
        .isEqualTo("a\\u001b[2J\\u009b\\u000d\\u202eb\\u0007");
  }

  @Test
  void shouldLeaveNamesAsTheyAre() {
    assertThat(EscapedText.of("live eth0 (Zürich, 東京)")).isEqualTo("live eth0 (Zürich, 東京)");
  }
}
