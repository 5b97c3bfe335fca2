// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.resample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.tap.replay.CaptureException;
import dev.flowstone.tap.replay.Captures;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** All link types, tags, labels, tunnels and damaged packets of the collection of real captures. */
class ResampledCapturesTest {
  private static final int INSTANCES = 3;

  @Test
  void shouldHaveAllKindsOfPacketsOfRealCapturesOnceForEachInstance() {
    int resampled = 0;
    for (Path capture : Captures.withOracle()) {
      SeenPackets template = SeenPackets.of(capture);
      ResampleOptions options =
          ResampleOptions.of(List.of(capture)).withPacketsPerSecond(1).withInstances(INSTANCES);
      SeenPackets seen;
      try {
        seen = SeenPackets.of(options);
      } catch (CaptureException e) {
        assertThat(template.packets.stream().noneMatch(template::hasAddresses))
            .as(e.getMessage())
            .isTrue();
        continue;
      }
      assertThat(kinds(seen)).as(capture.toString()).isEqualTo(times(kinds(template)));
      resampled++;
    }
    assertThat(resampled).isGreaterThan(50);
  }

  private static Map<String, Integer> kinds(SeenPackets packets) {
    Map<String, Integer> kinds = new HashMap<>();
    packets.packets.forEach(
        packet ->
            kinds.merge(
                packet.kind()
                    + " "
                    + packet.protocol()
                    + " "
                    + packet.wireBytes()
                    + " "
                    + packet.words(),
                1,
                Integer::sum));
    return kinds;
  }

  private static Map<String, Integer> times(Map<String, Integer> kinds) {
    Map<String, Integer> more = new HashMap<>();
    kinds.forEach((kind, count) -> more.put(kind, count * INSTANCES));
    return more;
  }
}
