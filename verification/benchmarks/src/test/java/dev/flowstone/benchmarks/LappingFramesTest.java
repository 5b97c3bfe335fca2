// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LappingFramesTest {
  private static final int FRAMES = 1_000;
  private static final int LAPS = 3;

  /** Else a benchmark would read what lies in the cache, over and over. */
  @Test
  void shouldGiveEachFrameOnceInALapAndNoTimeTwice() {
    try (SyntheticSource traffic = new SyntheticSource(SyntheticOptions.defaults());
        CapturedFrames captured = CapturedFrames.of(traffic, FRAMES);
        LappingFrames frames = new LappingFrames(captured);
        RawPacketBatch batch = new RawPacketBatch(64)) {
      List<Long> places = new ArrayList<>();
      List<Long> times = new ArrayList<>();
      while (places.size() < LAPS * FRAMES) {
        frames.fill(batch);
        for (int i = 0; i < batch.count(); i++) {
          places.add(batch.dataOffset(i));
          times.add(batch.timeNs(i));
        }
      }
      List<Long> lap = places.subList(0, FRAMES);
      assertThat(lap).doesNotHaveDuplicates();
      for (int i = 1; i < LAPS; i++) {
        assertThat(places.subList(i * FRAMES, (i + 1) * FRAMES)).isEqualTo(lap);
      }
      assertThat(times).isSorted().doesNotHaveDuplicates();
      assertThat(frames.counters().packets()).isEqualTo(LAPS * FRAMES);
    }
  }
}
