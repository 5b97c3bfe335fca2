// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SyntheticOptionsTest {
  private final SyntheticOptions defaults = SyntheticOptions.defaults();

  @Test
  void shouldNameWhatIsOutOfRange() {
    assertThatThrownBy(() -> defaults.withFlows(0)).hasMessageContaining("flows=0");
    assertThatThrownBy(() -> defaults.withPacketsPerSecond(0)).hasMessageContaining("rate=0");
    assertThatThrownBy(() -> defaults.withFrameBytes(63)).hasMessageContaining("size=63");
    assertThatThrownBy(() -> defaults.withTrainPackets(0)).hasMessageContaining("train=0");
    assertThatThrownBy(() -> defaults.withStartNs(-1)).hasMessageContaining("startNs=-1");
    assertThatThrownBy(() -> defaults.withPackets(-1)).hasMessageContaining("packets=-1");
  }

  @Test
  void shouldChangeOneOptionAndKeepTheOthers() {
    SynFlood flood = new SynFlood(Duration.ZERO, Duration.ofSeconds(1), 1, 1);
    Microbursts bursts = new Microbursts(Duration.ofSeconds(1), 10, 10_000_000_000L);
    SyntheticOptions all =
        defaults
            .withSeed(2)
            .withFlows(3)
            .withPacketsPerSecond(4)
            .withFrameBytes(100)
            .withGaps(GapShape.CONSTANT)
            .withTrainPackets(5)
            .withScans(false)
            .withOrderly(true)
            .withStartNs(6)
            .withPackets(7)
            .withDuration(Duration.ofSeconds(8))
            .withFlood(flood)
            .withMicrobursts(bursts)
            .withTruthFile(Path.of("truth"));
    assertThat(all)
        .isEqualTo(
            new SyntheticOptions(
                2,
                3,
                4,
                100,
                GapShape.CONSTANT,
                5,
                false,
                true,
                6,
                7,
                Duration.ofSeconds(8),
                Optional.of(flood),
                Optional.of(bursts),
                Optional.of(Path.of("truth"))));
  }

  @Test
  void shouldListPresetsWhenTheNameIsUnknown() {
    assertThatThrownBy(() -> SyntheticOptions.preset("none"))
        .hasMessageContaining(
            "backbone, benign, esnet-1500-8127k, esnet-1500-812k, esnet-9000-1383k, esnet-9000-138k, orderly, syn-flood");
  }

  @Test
  void shouldTakeSizeAndRateFromPresets() {
    SyntheticOptions preset = SyntheticOptions.preset("esnet-9000-138k");
    assertThat(preset.frameBytes()).isEqualTo(9014);
    assertThat(preset.packetsPerSecond()).isEqualTo(138_000);
    assertThat(preset.gaps()).isEqualTo(GapShape.CONSTANT);
  }

  @Test
  void shouldRefuseFloodsThatMakeNoSense() {
    assertThatThrownBy(() -> new SynFlood(Duration.ZERO, Duration.ZERO, 1, 1))
        .hasMessageContaining("duration=PT0S");
    assertThatThrownBy(() -> new SynFlood(Duration.ZERO, Duration.ofSeconds(1), 0, 1))
        .hasMessageContaining("rate=0");
    assertThatThrownBy(() -> new SynFlood(Duration.ZERO, Duration.ofSeconds(1), 1, 0))
        .hasMessageContaining("sources=0");
  }

  @Test
  void shouldRefuseTheRateOfAFloodThatIsNone() {
    assertThat(SyntheticOptions.preset("syn-flood").withFloodRate(7).flood().orElseThrow())
        .isEqualTo(new SynFlood(Duration.ofSeconds(10), Duration.ofSeconds(10), 7, 10_000));
    assertThatThrownBy(() -> SyntheticOptions.preset("benign").withFloodRate(7))
        .hasMessage("--flood is for the preset syn-flood alone");
  }

  @Test
  void shouldRefuseBurstsLongerThanTheirInterval() {
    assertThatThrownBy(() -> new Microbursts(Duration.ofMillis(1), 1000, 10_000_000_000L))
        .hasMessageContaining("shorter than a burst");
  }
}
