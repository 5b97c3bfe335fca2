// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RingMetricsTest {
  @Test
  void shouldTellRingsOfTwoFoldersApart() {
    List<String> directories = List.of("/a/rings", "/b/rings", "/b/other");
    assertThat(directories.stream().map(folder -> RingMetrics.label(folder, directories)))
        .containsExactly("/a/rings", "/b/rings", "other");
  }
}
