// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RingsWatchTest {
  @TempDir private Path folder;

  @Test
  void shouldEndWhatWentOnAtARingThatIsThereNoMore() {
    Incidents incidents = new Incidents();
    long longAgoMs = System.currentTimeMillis() - 60_000;
    incidents.goesOn(
        "drops " + folder.resolve("ring-000.ring"), Incidents.Kind.RING, longAgoMs, "full");
    new RingsWatch(List.of(folder), incidents).look();
    assertThat(incidents.all().getFirst().goesOn()).isFalse();
    assertThat(incidents.all().getFirst().endMs()).isEqualTo(longAgoMs);
  }
}
