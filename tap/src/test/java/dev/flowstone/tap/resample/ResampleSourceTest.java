// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.resample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.raw.SourceCounters;
import dev.flowstone.raw.SourceNotice;
import dev.flowstone.tap.replay.CaptureException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ResampleSourceTest {
  private static final int INSTANCES = 40;
  private static final int IPV4 = 0x0800;
  private static final int ARP = 0x0806;

  static List<Path> fixtures() {
    return Fixtures.all();
  }

  private static ResampleOptions instances(Path capture, int instances) {
    return ResampleOptions.of(List.of(capture)).withInstances(instances);
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void shouldTellEveryFlowOfTheCaptureOnceForEachInstance(Path capture) {
    Map<String, Integer> expected = new HashMap<>();
    SeenPackets template = SeenPackets.of(capture);
    template.stories().forEach((story, count) -> expected.put(story, count * INSTANCES));
    SeenPackets seen = SeenPackets.of(instances(capture, INSTANCES));
    assertThat(seen.packets).hasSize(template.packets.size() * INSTANCES);
    assertThat(seen.stories()).isEqualTo(expected);
    assertThat(seen.flows()).hasSize(template.flows().size() * INSTANCES);
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void shouldShowNoAddressOfTheCapture(Path capture) {
    Set<String> original = SeenPackets.of(capture).addresses();
    // Groups and the unspecified address are nobody's.
    original.removeIf(
        address ->
            address.startsWith("ff")
                || address.equals("0".repeat(32))
                || address.endsWith("ffffe"));
    assertThat(original).isNotEmpty();
    assertThat(SeenPackets.of(instances(capture, INSTANCES)).addresses())
        .doesNotContainAnyElementsOf(original);
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void shouldLetChecksumsBeAsRightAsTheyWere(Path capture) {
    Map<Integer, Integer> expected = new HashMap<>();
    int[] whole = new int[1];
    for (SeenPackets.Packet packet : SeenPackets.of(capture).packets) {
      int error = ChecksumError.of(packet);
      whole[0] += error == 0 ? 1 : 0;
      expected.merge(error, INSTANCES, Integer::sum);
    }
    Map<Integer, Integer> seen = new HashMap<>();
    SeenPackets.of(instances(capture, INSTANCES))
        .packets
        .forEach(packet -> seen.merge(ChecksumError.of(packet), 1, Integer::sum));
    assertThat(whole[0]).isPositive();
    assertThat(seen).isEqualTo(expected);
  }

  @Test
  void shouldMixInstancesOfAllCapturesInTheOrderOfTime() {
    ResampleOptions options =
        ResampleOptions.of(fixtures()).withPacketsPerSecond(200_000).withPackets(200_000);
    try (ResampleSource source = new ResampleSource(options)) {
      assertThat(source.meanAlive()).isBetween(2_000.0, 5_000.0);
      SeenPackets seen = SeenPackets.of(source, Templates.SHOWN_BYTES);
      for (int i = 1; i < seen.packets.size(); i++) {
        assertThat(seen.packets.get(i).timeNs())
            .isGreaterThanOrEqualTo(seen.packets.get(i - 1).timeNs());
      }
      long firstNs = seen.packets.getFirst().timeNs();
      assertThat(firstNs).isGreaterThanOrEqualTo(ResampleOptions.DEFAULT_START_NS);
      // From the first moment on at the rate, as instances are under way at the start.
      long inFirstHalf =
          seen.packets.stream().filter(packet -> packet.timeNs() < firstNs + 500_000_000).count();
      assertThat((double) inFirstHalf).isCloseTo(100_000, within(10_000.0));
      assertThat(seen.packets).hasSize(200_000);
      Set<Integer> kinds = new HashSet<>();
      seen.packets.forEach(packet -> kinds.add(packet.protocol()));
      assertThat(kinds).contains(1, 6, 17, 58);
    }
  }

  @Test
  void shouldMakeTheSameOfTheSameSeedAndOtherAddressesOfAnother() {
    ResampleOptions options = ResampleOptions.of(fixtures()).withPackets(20_000);
    SeenPackets one = SeenPackets.of(options);
    SeenPackets again = SeenPackets.of(options);
    assertThat(again.packets.size()).isEqualTo(one.packets.size());
    for (int i = 0; i < one.packets.size(); i++) {
      assertThat(again.packets.get(i).timeNs()).isEqualTo(one.packets.get(i).timeNs());
      assertThat(again.packets.get(i).frame()).isEqualTo(one.packets.get(i).frame());
    }
    Set<String> others = SeenPackets.of(options.withSeed(2)).addresses();
    int before = others.size();
    others.removeAll(one.addresses());
    // But for groups and what a permutation of 2^28 gives twice by chance.
    assertThat(before - others.size()).isLessThan(20);
  }

  @Test
  void shouldCountWhatItCannotChange() {
    Path capture = Fixtures.named("ping-arp-fragments");
    long arp =
        SeenPackets.of(capture).packets.stream().filter(packet -> packet.protocol() == 0).count();
    try (ResampleSource source = new ResampleSource(instances(capture, 7))) {
      SeenPackets seen = SeenPackets.of(source, Templates.SHOWN_BYTES);
      SourceCounters counters = source.counters();
      assertThat(arp).isPositive();
      assertThat(counters.notices())
          .isEqualTo(Map.of(SourceNotice.KEPT_ADDRESSES, 7 * arp, SourceNotice.INSTANCES, 7L));
      assertThat(counters.packets()).isEqualTo(seen.packets.size());
      assertThat(counters.wireBytes())
          .isEqualTo(seen.packets.stream().mapToLong(SeenPackets.Packet::wireBytes).sum());
      assertThat(source.progress()).isEqualTo(1);
    }
  }

  @Test
  void shouldSayWhichCaptureCannotBeResampledAndWhy(@TempDir Path folder) throws IOException {
    Path empty = Files.write(folder.resolve("empty.pcap"), pcap(ARP));
    assertThatThrownBy(() -> new ResampleSource(ResampleOptions.of(List.of(empty))))
        .isInstanceOf(CaptureException.class)
        .hasMessage(empty + ": holds no packet that could be resampled");
    Path arp = Files.write(folder.resolve("arp.pcap"), pcap(ARP, 1, 1));
    assertThatThrownBy(() -> new ResampleSource(ResampleOptions.of(List.of(arp))))
        .isInstanceOf(CaptureException.class)
        .hasMessageContaining(arp + ": none of its 2 packets has IP addresses");
    assertThatThrownBy(
            () ->
                new ResampleSource(
                    ResampleOptions.of(fixtures()).withPacketsPerSecond(1_000_000_000)))
        .hasMessageContaining("instances of captures would live at once, at most 524,288")
        .hasMessageContaining(Fixtures.named("udp-voice") + ", which lasts 6 s");
  }

  @Test
  void shouldLeaveOutGapsThatNobodyWouldWaitFor(@TempDir Path folder) throws IOException {
    Path capture = folder.resolve("of-two-years.pcap");
    Files.write(capture, pcap(IPV4, 1_000_000_000, 1_000_000_600, 1_100_000_000, 1_100_000_001, 5));
    try (ResampleSource source = new ResampleSource(instances(capture, 1))) {
      List<Long> times =
          SeenPackets.of(source, Templates.SHOWN_BYTES).packets.stream()
              .map(packet -> packet.timeNs() / 1_000_000_000)
              .toList();
      long first = times.getFirst();
      assertThat(times).containsExactly(first, first + 600, first + 600, first + 601, first + 601);
      assertThat(source.skippedGaps()).isEqualTo(2);
      assertThat(source.meanAlive()).isEqualTo(1);
    }
  }

  /** Of a packet for each time; a header is all that is IPv4 in it. */
  private static byte[] pcap(int etherType, int... seconds) {
    ByteBuffer bytes =
        ByteBuffer.allocate(24 + seconds.length * (16 + 64)).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(0xa1b2c3d4).putInt(0).putLong(0).putInt(0xFFFF).putInt(1);
    for (int second : seconds) {
      bytes.putInt(second).putInt(0).putInt(64).putInt(64);
      bytes.putShort(bytes.position() + 12, Short.reverseBytes((short) etherType));
      bytes.put(bytes.position() + 14, (byte) 0x45);
      bytes.position(bytes.position() + 64);
    }
    return bytes.array();
  }

  /** A record shows the first eight bytes behind the IP header of what has no ports. */
  @ParameterizedTest
  @CsvSource({"89, 2, 12", "1, 5, 2"})
  void shouldShowNoAddressThatAHeaderNames(
      int protocol, int firstByte, int checksumOffset, @TempDir Path folder) throws IOException {
    byte[] bytes = pcap(IPV4, 1);
    int ip = 24 + 16 + 14;
    int message = ip + 20;
    ByteBuffer frame = ByteBuffer.wrap(bytes);
    frame.put(ip + 9, (byte) protocol).put(message, (byte) firstByte);
    frame.putInt(ip + 12, 0x0A000001).putInt(ip + 16, 0x0A000002);
    frame.putInt(message + 4, 0xC6336407).putInt(message + 16, 0x12345678);
    frame.putShort(message + checksumOffset, (short) ~foldedSum(frame, message));
    Path capture = Files.write(folder.resolve("named.pcap"), bytes);

    SeenPackets.Packet packet = SeenPackets.of(instances(capture, 1)).packets.getFirst();

    int transport = 14 + 20;
    assertThat(packet.frame().getInt(transport + 4)).isZero();
    assertThat(packet.frame().getInt(transport + 16)).as("all else").isEqualTo(0x12345678);
    assertThat(foldedSum(packet.frame(), transport)).as("checksum right").isEqualTo(0xFFFF);
  }

  private static int foldedSum(ByteBuffer bytes, int from) {
    int sum = 0;
    for (int i = from; i < from + 20; i += Short.BYTES) {
      sum += bytes.getShort(i) & 0xFFFF;
    }
    return (sum & 0xFFFF) + (sum >>> 16);
  }

  @Test
  void shouldNotDependOnTheSizeOfBatches() {
    ResampleOptions options = ResampleOptions.of(fixtures()).withPackets(5_000);
    long[] one = times(options, 1024);
    assertThat(times(options, 7)).isEqualTo(one);
  }

  private static long[] times(ResampleOptions options, int capacity) {
    long[] times = new long[5_000];
    int count = 0;
    try (ResampleSource source = new ResampleSource(options);
        RawPacketBatch batch = new RawPacketBatch(capacity)) {
      while (source.fill(batch) > 0) {
        for (int i = 0; i < batch.count(); i++) {
          times[count++] = batch.timeNs(i);
        }
      }
    }
    return times;
  }
}
