// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.tap.RawPacketBatch;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

class SyntheticSourceTest {
  private static final SyntheticOptions SHORT = SyntheticOptions.DEFAULT.withPacketLimit(100_000);

  private static final SynFlood FLOOD =
      new SynFlood(
          Duration.ofMillis(500),
          Duration.ofMillis(1500),
          40_000,
          SynFlood.address("192.0.2.80"),
          8080);

  @Test
  void shouldRepeatItselfForTheSameSeed() {
    assertThat(fingerprint(SHORT)).isEqualTo(fingerprint(SHORT));
    assertThat(fingerprint(SHORT)).isNotEqualTo(fingerprint(SHORT.withSeed(2)));
  }

  @Test
  void shouldSendTheSameWithAndWithoutTruth() {
    assertThat(fingerprint(SHORT)).isEqualTo(fingerprint(SHORT.withTruth(false)));
  }

  @Test
  void shouldEndAtThePacketLimit() {
    try (SyntheticSource source = new SyntheticSource(SHORT.withPacketLimit(1_500))) {
      RawPacketBatch batch = new RawPacketBatch(1_000);
      assertThat(source.clock()).isEqualTo(RingClock.SYNTHETIC);
      assertThat(source.fill(batch)).isEqualTo(1_000);
      assertThat(source.progress()).isCloseTo(2.0 / 3, within(0.001));
      assertThat(source.fill(batch)).isEqualTo(500);
      assertThat(source.fill(batch)).isEqualTo(-1);
      assertThat(batch.count()).isZero();
    }
  }

  @Test
  void shouldFloodAtItsRateInItsTime() {
    List<ParsedFrame> syns = new ArrayList<>();
    SyntheticOptions options =
        SHORT.withPacketsPerSecond(100_000).withPacketLimit(400_000).withFlood(FLOOD);
    try (SyntheticSource source = new SyntheticSource(options)) {
      SentFrames.forEach(
          source,
          frame -> {
            if (frame.destination().equals("192.0.2.80")) {
              syns.add(frame);
            }
          });
      assertThat(source.truth().floodPackets()).isEqualTo(syns.size());
    }
    long startNs = options.startNs();
    assertThat(syns).hasSize(60_000);
    assertThat(syns.getFirst().timeNs()).isBetween(startNs + 500_000_000, startNs + 500_025_000);
    assertThat(syns.getLast().timeNs())
        .isBetween(startNs + 1_999_950_000L, startNs + 2_000_000_010L);
    assertThat(syns)
        .allMatch(syn -> syn.flags() == 2 && syn.destinationPort() == 8080 && syn.checksumHolds());
    assertThat(syns.stream().map(ParsedFrame::flow).distinct().count()).isEqualTo(60_000);
  }

  @Test
  void shouldBurstAtLineRateEveryInterval() {
    Microburst microburst = new Microburst(Duration.ofMillis(20), 50, 1514, 100_000_000_000L);
    List<Long> timesNs = new ArrayList<>();
    SyntheticOptions options = SHORT.withMicroburst(microburst);
    try (SyntheticSource source = new SyntheticSource(options)) {
      SentFrames.forEach(
          source,
          frame -> {
            if (frame.isUdp() && frame.destinationPort() == 5001) {
              timesNs.add(frame.timeNs());
            }
          });
    }
    assertThat(timesNs).hasSize(4 * 50);
    for (int i = 0; i < timesNs.size(); i++) {
      long dueNs = options.startNs() + (i / 50 + 1) * 20_000_000L + i % 50 * 123L;
      assertThat(timesNs.get(i)).isBetween(dueNs, dueNs + 3);
    }
  }

  @Test
  void shouldNotAllocatePerPacket() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    SyntheticOptions options = SyntheticOptions.DEFAULT.withFlood(FLOOD);
    try (SyntheticSource source = new SyntheticSource(options)) {
      RawPacketBatch batch = new RawPacketBatch(1024);
      send(source, batch, 3_000_000);
      long before = threads.getCurrentThreadAllocatedBytes();
      send(source, batch, 1_000_000);
      long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      // What is left are lists of the truth: windows full of SYNs and new largest flows.
      assertThat(allocated).isLessThan(1_000_000);
    }
  }

  @Test
  void shouldRefuseWhatCannotBeSent() {
    assertThatThrownBy(() -> SHORT.withFlows(0)).hasMessageContaining("flows must be in 1..");
    assertThatThrownBy(() -> SHORT.withPacketsPerSecond(0))
        .hasMessageContaining("packets per second must be in 1..500000000, not 0");
    assertThatThrownBy(() -> SHORT.withFrameBytes(64))
        .hasMessageContaining("frame size must be in 128..9216 bytes, not 64");
    assertThatThrownBy(() -> SyntheticPreset.named("nope"))
        .hasMessageContaining("'nope'; there is mix, esnet-1500-812k");
    assertThatThrownBy(() -> new Microburst(Duration.ofNanos(100), 2, 1514, 100_000_000_000L))
        .hasMessageContaining("longer than the burst itself");
  }

  @Test
  void shouldRefuseATruthItDidNotCount() {
    try (SyntheticSource source = new SyntheticSource(SHORT.withTruth(false))) {
      assertThatThrownBy(source::truth).hasMessageContaining("leave the option truth on");
    }
  }

  private static void send(SyntheticSource source, RawPacketBatch batch, int packets) {
    for (int sent = 0; sent < packets; ) {
      sent += source.fill(batch);
    }
  }

  private static long fingerprint(SyntheticOptions options) {
    CRC32 crc = new CRC32();
    try (SyntheticSource source = new SyntheticSource(options)) {
      SentFrames.forEachBytes(
          source,
          (frame, timeNs, wireBytes) -> {
            crc.update(frame);
            crc.update((int) timeNs);
            crc.update(wireBytes);
          });
    }
    return crc.getValue();
  }
}
