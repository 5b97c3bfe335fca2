// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class MetricsRunTest {
  @Test
  void shouldNameWhatItWaitedForInVain() {
    assertThat(MetricsRun.tooLate(Set.of("A.seen"), Set.of("A.seen", "B.missing")))
        .contains("within 180 s", "[B.missing]");
    assertThat(MetricsRun.tooLate(Set.of("A.seen"), Set.of("A.seen")))
        .contains("not every job began");
  }
}
