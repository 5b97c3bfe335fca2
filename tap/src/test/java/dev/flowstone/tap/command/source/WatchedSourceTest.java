// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.raw.SourceCounters;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WatchedSourceTest {
  private static final long IDLE_NS = 77;
  private static final long LOST = 5;
  private static final long OTHER_CLOCK = 13;

  /** Overrides all that an interface's default would otherwise answer for. */
  private static final class Live implements PacketSource {
    private boolean stopped;

    @Override
    public int fill(RawPacketBatch batch) {
      return END;
    }

    @Override
    public boolean stopCatching() {
      stopped = true;
      return true;
    }

    @Override
    public long idleClockNs() {
      return IDLE_NS;
    }

    @Override
    public long takeLostBeforeTap() {
      return LOST;
    }

    @Override
    public long takeOtherClockPackets() {
      return OTHER_CLOCK;
    }

    @Override
    public int clock() {
      return 3;
    }

    @Override
    public SourceCounters counters() {
      return new SourceCounters(0, 0, 0, 0, 0, Map.of(), List.of());
    }

    @Override
    public double progress() {
      return Double.NaN;
    }

    @Override
    public void close() {}
  }

  @Test
  void shouldPassOnWhatHasADefault() {
    Live live = new Live();
    try (WatchedSource watched = new WatchedSource(live)) {
      assertThat(watched.idleClockNs()).isEqualTo(IDLE_NS);
      assertThat(watched.takeLostBeforeTap()).isEqualTo(LOST);
      assertThat(watched.takeOtherClockPackets()).isEqualTo(OTHER_CLOCK);
      assertThat(watched.stopCatching()).isTrue();
      assertThat(live.stopped).isTrue();
    }
  }
}
