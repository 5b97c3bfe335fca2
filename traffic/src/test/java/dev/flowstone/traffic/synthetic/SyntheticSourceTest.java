// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.traffic.synthetic.SyntheticTruth.FlowFigures;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SyntheticSourceTest {
  private static final long SECOND_NS = 1_000_000_000L;

  private static SyntheticOptions small() {
    return SyntheticOptions.defaults()
        .withSeed(42)
        .withFlows(500)
        .withPacketsPerSecond(20_000)
        .withDuration(Duration.ofSeconds(12));
  }

  private static SyntheticOptions eventful() {
    return small()
        .withFlood(new SynFlood(Duration.ofSeconds(4), Duration.ofSeconds(3), 2_000, 700))
        .withMicrobursts(new Microbursts(Duration.ofMillis(500), 40, 100_000_000_000L));
  }

  @Test
  void shouldTellTheTruth() {
    try (SyntheticSource source = new SyntheticSource(eventful())) {
      SeenTraffic seen = SeenTraffic.of(source, 1000);
      SyntheticTruth truth = source.truth();
      assertThat(truth.packets()).isEqualTo(seen.packets);
      assertThat(truth.wireBytes()).isEqualTo(seen.wireBytes);
      assertThat(truth.capturedBytes()).isEqualTo(seen.capturedBytes);
      assertThat(truth.firstNs()).isEqualTo(seen.firstNs);
      assertThat(truth.lastNs()).isEqualTo(seen.lastNs);
      assertThat(truth.syns()).isEqualTo(seen.syns);
      assertThat(truth.synAcks()).isEqualTo(seen.synAcks);
      assertThat(truth.fins()).isEqualTo(seen.fins).isPositive();
      assertThat(truth.directionalTuples()).isEqualTo(seen.directional.size());
      assertThat(truth.bidirectionalTuples()).isEqualTo(seen.bidirectional.size());
      Map<String, Long> classes = new HashMap<>(truth.classes());
      assertThat(classes.remove("syn_flood")).isEqualTo(6_000);
      assertThat(classes.remove("microburst")).isEqualTo(23L * 40);
      assertThat(classes.remove("scan")).isPositive();
      assertThat(classes).isEqualTo(seen.classes);
    }
  }

  @Test
  void shouldTellTheTruthOnTopFlows() {
    try (SyntheticSource source = new SyntheticSource(eventful())) {
      SeenTraffic seen = SeenTraffic.of(source, 1000);
      SyntheticTruth truth = source.truth();
      assertTop(truth.topDirectional(), seen.directional, false);
      assertTop(truth.topBidirectional(), seen.bidirectional, true);
    }
  }

  private static void assertTop(
      List<FlowFigures> top, Map<String, SeenTraffic.FlowSeen> seen, boolean eitherWay) {
    List<Long> largest =
        seen.values().stream()
            .map(flow -> flow.packets)
            .sorted((a, b) -> Long.compare(b, a))
            .limit(top.size())
            .toList();
    assertThat(top).hasSize(TopFlows.KEPT);
    assertThat(top.stream().map(FlowFigures::packets)).isEqualTo(largest);
    for (FlowFigures flow : top) {
      SeenTraffic.FlowSeen figures = seen.get(key(flow, false));
      if (figures == null && eitherWay) {
        figures = seen.get(key(flow, true));
      }
      assertThat(figures).as(flow.toString()).isNotNull();
      assertThat(flow.packets()).isEqualTo(figures.packets);
      assertThat(flow.bytes()).isEqualTo(figures.bytes);
      assertThat(flow.firstNs()).isEqualTo(figures.firstNs);
      assertThat(flow.lastNs()).isEqualTo(figures.lastNs);
      assertThat(flow.minGapNs()).contains(figures.minGapNs);
      assertThat(flow.maxGapNs()).contains(figures.maxGapNs);
    }
  }

  private static String key(FlowFigures flow, boolean reversed) {
    String source = plain(reversed ? flow.destination() : flow.source());
    String destination = plain(reversed ? flow.source() : flow.destination());
    int from = reversed ? flow.destinationPort() : flow.sourcePort();
    int to = reversed ? flow.sourcePort() : flow.destinationPort();
    return SeenTraffic.key(source, destination, flow.protocol(), from, to);
  }

  private static String plain(String address) {
    try {
      return InetAddress.ofLiteral(address).getHostAddress();
    } catch (IllegalArgumentException e) {
      throw new AssertionError(address, e);
    }
  }

  @Test
  void shouldTellTheTruthOnSynWindows() {
    try (SyntheticSource source = new SyntheticSource(eventful())) {
      SeenTraffic seen = SeenTraffic.of(source, 1000);
      Map<String, Integer> expected = new HashMap<>(seen.synsByWindowAndDestination);
      expected.values().removeIf(syns -> syns <= 10);
      Map<String, Integer> told = new HashMap<>();
      source
          .truth()
          .synsOver10ByDestination()
          .forEach(
              window ->
                  told.put(
                      window.windowStartNs() + " " + plain(window.destination()), window.syns()));
      assertThat(told).isEqualTo(expected);
      assertThat(source.truth().synWindowsOver10()).isEqualTo(expected.size());
    }
  }

  @Test
  void shouldFloodOneVictimWhenAsked() {
    try (SyntheticSource source = new SyntheticSource(eventful())) {
      SeenTraffic seen = SeenTraffic.of(source, 1000);
      SyntheticTruth.Flood flood = source.truth().flood().orElseThrow();
      long start = SyntheticOptions.DEFAULT_START_NS + 4 * SECOND_NS;
      assertThat(flood.startNs()).isEqualTo(start);
      assertThat(flood.lastNs()).isEqualTo(start + 3 * SECOND_NS - 500_000);
      assertThat(flood.packets()).isEqualTo(6_000);
      // The flood crosses a window's border after one of its three seconds.
      long border = start + SECOND_NS;
      assertThat(seen.synsByWindowAndDestination)
          .containsEntry((border - 5 * SECOND_NS) + " " + flood.victim(), 2_000)
          .containsEntry(border + " " + flood.victim(), 4_000);
    }
  }

  @Test
  void shouldKeepTcpNumbersConsistent() {
    try (SyntheticSource source = new SyntheticSource(small())) {
      SeenTraffic seen = SeenTraffic.of(source, 100);
      assertThat(seen.sequenceErrors).as("sequence numbers").isZero();
      assertThat(seen.acknowledgementErrors).as("acknowledgements").isZero();
      assertThat(seen.backwardSteps).as("times that go back").isZero();
    }
  }

  @Test
  void shouldEndEveryFrameInTheSamePayload() {
    byte[] payload = new byte[FrameSlots.BYTES - FrameTemplate.BYTES];
    Arrays.fill(payload, FrameTemplate.PAYLOAD_BYTE);
    try (SyntheticSource source = new SyntheticSource(eventful().withPackets(20_000));
        RawPacketBatch batch = new RawPacketBatch(100)) {
      long longFrames = 0;
      while (source.fill(batch) != PacketSource.END) {
        for (int i = 0; i < batch.count(); i++) {
          if (batch.capturedBytes(i) == FrameSlots.BYTES) {
            long end = batch.dataOffset(i) + FrameTemplate.BYTES;
            assertThat(batch.base().asSlice(end, payload.length).toArray(JAVA_BYTE))
                .isEqualTo(payload);
            longFrames++;
          }
        }
      }
      assertThat(longFrames).isGreaterThan(5_000);
    }
  }

  @Test
  void shouldHaveRightChecksums() {
    try (SyntheticSource source = new SyntheticSource(eventful().withTrainPackets(1))) {
      SeenTraffic seen = SeenTraffic.of(source, 100);
      assertThat(seen.packets).isGreaterThan(200_000);
      assertThat(seen.checksumErrors).isZero();
    }
  }

  @Test
  void shouldRepeatItselfByteByByteWhateverTheBatch() {
    SyntheticOptions options = eventful().withPackets(50_000);
    assertThat(checksum(options, 1024)).isEqualTo(checksum(options, 7));
    assertThat(checksum(options, 1024)).isNotEqualTo(checksum(options.withSeed(43), 1024));
  }

  private static long checksum(SyntheticOptions options, int batchCapacity) {
    CRC32C checksum = new CRC32C();
    try (SyntheticSource source = new SyntheticSource(options);
        RawPacketBatch batch = new RawPacketBatch(batchCapacity)) {
      while (source.fill(batch) != PacketSource.END) {
        for (int i = 0; i < batch.count(); i++) {
          MemorySegment frame = batch.base().asSlice(batch.dataOffset(i), batch.capturedBytes(i));
          checksum.update(frame.asByteBuffer());
          update(checksum, batch.timeNs(i));
          update(checksum, batch.wireBytes(i));
        }
      }
    }
    return checksum.getValue();
  }

  private static void update(CRC32C checksum, long value) {
    checksum.update(ByteBuffer.allocate(Long.BYTES).putLong(value).flip());
  }

  @Test
  void shouldSendMicroburstsAtLineRate() {
    Microbursts bursts = new Microbursts(Duration.ofSeconds(1), 10, 10_000_000_000L);
    SyntheticOptions options =
        small().withPacketsPerSecond(1).withMicrobursts(bursts).withDuration(Duration.ofSeconds(2));
    try (SyntheticSource source = new SyntheticSource(options)) {
      SeenTraffic.of(source, 64);
      FlowFigures burst = source.truth().topDirectional().getFirst();
      assertThat(burst.packets()).isEqualTo(10);
      // (1514 + 24) * 8 bits at 10 Gb/s
      assertThat(burst.minGapNs()).contains(1230L);
      assertThat(burst.maxGapNs()).contains(1230L);
    }
  }

  @Test
  void shouldSendOneSizeWithPresets() {
    SyntheticOptions options = SyntheticOptions.preset("esnet-9000-1383k").withPackets(100_000);
    try (SyntheticSource source = new SyntheticSource(options)) {
      SeenTraffic seen = SeenTraffic.of(source, 1024);
      assertThat(seen.wireSizes).containsExactly(9014);
      assertThat(seen.sequenceErrors + seen.acknowledgementErrors).isZero();
      assertThat(seen.lastNs - seen.firstNs)
          .isCloseTo(99_999L * SECOND_NS / 1_383_000, within(200L));
    }
  }

  @Test
  void shouldStopAtTheAskedNumberOfPackets() {
    try (SyntheticSource source = new SyntheticSource(small().withPackets(1_500))) {
      assertThat(SeenTraffic.of(source, 1024).packets).isEqualTo(1_500);
      assertThat(source.progress()).isEqualTo(1);
    }
  }

  @Test
  void shouldStopAtTheAskedDuration() {
    try (SyntheticSource source = new SyntheticSource(small())) {
      SeenTraffic seen = SeenTraffic.of(source, 1024);
      assertThat(seen.lastNs - seen.firstNs).isBetween(11_900_000_000L, 12_000_000_000L);
    }
  }

  @Test
  void shouldWriteTheTruthAsJsonOnClose(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("truth.json");
    SyntheticTruth truth;
    try (SyntheticSource source = new SyntheticSource(eventful().withTruthFile(file))) {
      SeenTraffic.of(source, 1024);
      truth = source.truth();
    }
    JsonNode json = new ObjectMapper().readTree(file.toFile());
    assertThat(json.get("packets").asLong()).isEqualTo(truth.packets());
    assertThat(json.get("syn_windows").get("over_10_by_dst"))
        .hasSize(truth.synsOver10ByDestination().size());
    // In one order, so that the same run has the same file.
    assertThat(json.get("classes").properties()).extracting(Map.Entry::getKey).isSorted();
    assertThat(json.get("flood").get("packets").asLong()).isEqualTo(6_000);
    assertThat(json.get("interarrival_top_directional").get(0).get("dst").asText())
        .isEqualTo(truth.topDirectional().getFirst().destination());
  }
}
