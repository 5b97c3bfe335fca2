// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextReportTest {
  @Test
  void shouldNotSendAFilesControlCharactersToTheTerminal() {
    Inspection failure = new Inspection.Failure("a\u001bc.pcap", "no capture\u0007");
    assertThat(new TextReport().text(failure)).isEqualTo("a\\u001bc.pcap: no capture\\u0007");
  }
}
