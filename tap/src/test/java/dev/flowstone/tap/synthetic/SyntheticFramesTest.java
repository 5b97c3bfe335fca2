// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What one second of the default mix looks like to someone who reads the frames. */
class SyntheticFramesTest {
  private static final SyntheticOptions SECOND =
      SyntheticOptions.DEFAULT.withPacketLimit(1_000_000).withTruth(false);

  @Test
  void shouldKeepRateAndOrderOfTimes() {
    List<Long> ends = new ArrayList<>();
    long[] last = {SECOND.startNs() - 1};
    read(
        SECOND,
        frame -> {
          assertThat(frame.timeNs() > last[0]).as("times increase").isTrue();
          last[0] = frame.timeNs();
          if (ends.isEmpty()) {
            ends.add(frame.timeNs());
          }
        });
    double seconds = (last[0] - ends.getFirst()) / 1e9;
    assertThat(999_999 / seconds).isCloseTo(1e6, within(1e3));
  }

  @Test
  void shouldHoldSharesOfProtocolsAndManyFlows() {
    Map<String, Integer> packets = new HashMap<>();
    Set<String> conversations = new HashSet<>();
    read(
        SECOND,
        frame -> {
          packets.merge("version " + frame.version(), 1, Integer::sum);
          packets.merge("protocol " + frame.protocol(), 1, Integer::sum);
          packets.merge("tagged " + frame.tagged(), 1, Integer::sum);
          conversations.add(frame.conversation());
        });
    assertThat(packets.get("version 4") / 1e6).isCloseTo(0.88, within(0.01));
    assertThat(packets.get("version 6") / 1e6).isCloseTo(0.10, within(0.01));
    assertThat(packets.get("version 0") / 1e6).isCloseTo(0.02, within(0.002));
    assertThat(packets.get("protocol 6") / 1e6).isCloseTo(0.84, within(0.02));
    assertThat(packets.get("protocol 17") / 1e6).isCloseTo(0.12, within(0.02));
    assertThat(packets).containsKeys("protocol 1", "protocol 58");
    assertThat(packets.get("tagged true")).isGreaterThan(50_000);
    assertThat(conversations).hasSizeGreaterThan(10_000);
  }

  @Test
  void shouldWriteWholeAndConsistentHeaders() {
    Set<Integer> sizes = new HashSet<>();
    read(
        SECOND,
        frame -> {
          assertThat(frame.checksumHolds()).as("IPv4 checksum").isTrue();
          assertThat(frame.capturedBytes()).isEqualTo(Math.min(128, frame.wireBytes()));
          assertThat(frame.wireBytes()).isEqualTo(Math.max(60, frame.contentBytes()));
          assertThat(frame.payloadBytes()).isNotNegative();
          sizes.add(frame.wireBytes());
        });
    assertThat(sizes).contains(60, 66, 74, 1514, 1518);
  }

  @Test
  void shouldKeepFixedSizeWhateverThePacketIs() {
    read(
        SyntheticPreset.named("esnet-9000-138k").options().withPacketLimit(100_000),
        frame -> {
          assertThat(frame.wireBytes()).isEqualTo(9014);
          assertThat(frame.contentBytes()).isLessThanOrEqualTo(9014);
        });
  }

  @Test
  void shouldKeepTcpConnectionsConsistent() {
    TcpChecker checker = new TcpChecker();
    read(SECOND.withFlows(500), checker::accept);
    assertThat(checker.handshakes()).isGreaterThan(1_000);
    assertThat(checker.closed()).isGreaterThan(1_000);
    assertThat(checker.dataSegments()).isGreaterThan(checker.pureAcks());
  }

  private static void read(
      SyntheticOptions options, java.util.function.Consumer<ParsedFrame> consumer) {
    try (SyntheticSource source = new SyntheticSource(options)) {
      SentFrames.forEach(source, consumer);
    }
  }
}
