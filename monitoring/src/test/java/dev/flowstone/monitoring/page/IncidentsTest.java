// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.monitoring.page.Incidents.Incident;
import dev.flowstone.monitoring.page.Incidents.Kind;
import java.util.Set;
import org.junit.jupiter.api.Test;

class IncidentsTest {
  private final Incidents incidents = new Incidents();

  @Test
  void shouldTellWhatGoesOnAsOne() {
    incidents.goesOn("ring", Kind.RING, 1_000, "3 dropped");
    incidents.goesOn("ring", Kind.RING, 2_000, "7 dropped");
    assertThat(incidents.all())
        .containsExactly(new Incident("ring", Kind.RING, 1_000, 2_000, true, "7 dropped"));
  }

  @Test
  void shouldEndItAfterAQuietWhileAndBeginAnotherThen() {
    incidents.goesOn("ring", Kind.RING, 1_000, "3 dropped");
    incidents.areQuietBut(Set.of(), 3_000);
    assertThat(incidents.all().getFirst().goesOn()).isTrue();
    incidents.areQuietBut(Set.of("ring"), 9_000);
    assertThat(incidents.all().getFirst().goesOn()).isTrue();
    incidents.areQuietBut(Set.of("another"), 9_000);
    assertThat(incidents.all().getFirst().goesOn()).isFalse();
    incidents.goesOn("ring", Kind.RING, 10_000, "9 dropped");
    assertThat(incidents.all()).extracting(Incident::beginMs).containsExactly(10_000L, 1_000L);
  }

  @Test
  void shouldForgetTheOldest() {
    for (int i = 0; i < 1_000; i++) {
      incidents.happened(Kind.RULES, i, "version " + i);
    }
    assertThat(incidents.all()).hasSizeLessThan(200);
    assertThat(incidents.all().getFirst().text()).isEqualTo("version 999");
  }
}
