// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What tshark says of generated frames, written out in full: it knows nothing of this project. */
class TsharkOracleTest {
  private static final long SECOND_NS = 1_000_000_000;
  private static final String GOOD = "1";
  private static final List<String> FIELDS =
      List.of(
          "ip.checksum.status",
          "tcp.checksum.status",
          "udp.checksum.status",
          "icmp.checksum.status",
          "icmpv6.checksum.status",
          "_ws.malformed",
          "tcp.analysis.retransmission",
          "tcp.analysis.out_of_order",
          "tcp.analysis.lost_segment",
          "tcp.analysis.ack_lost_segment",
          "tcp.analysis.duplicate_ack",
          "tcp.options.timestamp.tsval");

  @TempDir private Path folder;

  @Test
  void shouldAgreeOnChecksumsAndRetransmissions() throws IOException, InterruptedException {
    assumeTrue(isThere(), "SKIPPED: tshark is not installed: apt-get install tshark");
    SyntheticOptions options =
        SyntheticOptions.defaults()
            .withFlows(500)
            .withPacketsPerSecond(20_000)
            .withDuration(Duration.ofSeconds(2))
            .withFlood(new SynFlood(Duration.ofSeconds(1), Duration.ofSeconds(1), 500, 50))
            .withMicrobursts(new Microbursts(Duration.ofMillis(500), 40, 100_000_000_000L));
    Path capture = folder.resolve("synthetic.pcap");
    SyntheticTruth truth = write(options, capture);
    Map<String, Map<String, Integer>> told = ask(capture);
    assertThat(told.get("ip.checksum.status"))
        .isEqualTo(Map.of(GOOD, truth.classes().get("ipv4").intValue()));
    assertThat(told.get("tcp.checksum.status"))
        .isEqualTo(Map.of(GOOD, truth.classes().get("tcp").intValue()));
    assertThat(told.get("udp.checksum.status"))
        .isEqualTo(Map.of(GOOD, truth.classes().get("udp").intValue()));
    assertThat(count(told, "icmp.checksum.status") + count(told, "icmpv6.checksum.status"))
        .isEqualTo(truth.classes().get("icmp").intValue());
    assertThat(told.get("icmp.checksum.status").keySet()).containsExactly(GOOD);
    assertThat(count(told, "tcp.analysis.ack_lost_segment")).isZero();
    assertThat(count(told, "tcp.options.timestamp.tsval")).isPositive();
    double late =
        count(told, "tcp.analysis.retransmission") + count(told, "tcp.analysis.out_of_order");
    SeenTraffic seen;
    try (SyntheticSource source = new SyntheticSource(options)) {
      seen = SeenTraffic.of(source, 1024);
    }
    assertThat(late).isBetween(seen.lateSegments * 0.9, seen.lateSegments * 1.1);
  }

  private static boolean isThere() throws InterruptedException {
    try {
      return new ProcessBuilder("tshark", "--version")
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException absent) {
      return false;
    }
  }

  /** A capture of whole frames: what they do not show is known. */
  private static SyntheticTruth write(SyntheticOptions options, Path capture) throws IOException {
    try (SyntheticSource source = new SyntheticSource(options);
        RawPacketBatch batch = new RawPacketBatch(1024);
        FileChannel file =
            FileChannel.open(capture, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.allocate(1 << 22).order(ByteOrder.LITTLE_ENDIAN);
      bytes.putInt(0xa1b23c4d).putInt(0x0004_0002).putLong(0).putInt(1 << 16).putInt(1);
      while (source.fill(batch) != PacketSource.END) {
        for (int i = 0; i < batch.count(); i++) {
          put(batch, i, bytes);
        }
        file.write(bytes.flip());
        bytes.clear();
      }
      return source.truth();
    }
  }

  private static void put(RawPacketBatch batch, int index, ByteBuffer bytes) {
    byte[] frame = new byte[(int) batch.wireBytes(index)];
    Arrays.fill(frame, FrameTemplate.PAYLOAD_BYTE);
    MemorySegment.copy(
        batch.base(),
        batch.dataOffset(index),
        MemorySegment.ofArray(frame),
        0,
        batch.capturedBytes(index));
    bytes.putInt((int) (batch.timeNs(index) / SECOND_NS));
    bytes.putInt((int) (batch.timeNs(index) % SECOND_NS));
    bytes.putInt(frame.length).putInt(frame.length).put(frame);
  }

  /** How often each value of each field comes. */
  private Map<String, Map<String, Integer>> ask(Path capture)
      throws IOException, InterruptedException {
    Path answer = folder.resolve("answer");
    ProcessBuilder tshark =
        new ProcessBuilder(
            "tshark",
            "-n",
            "-r",
            capture.toString(),
            "-T",
            "fields",
            "-o",
            "ip.check_checksum:TRUE",
            "-o",
            "tcp.check_checksum:TRUE",
            "-o",
            "udp.check_checksum:TRUE");
    // Payloads mean nothing here, whatever the ports.
    for (String off :
        List.of("dns", "ntp", "quic", "tls", "http", "http2", "smtp", "ssh", "imap")) {
      tshark.command().addAll(List.of("--disable-protocol", off));
    }
    FIELDS.forEach(field -> tshark.command().addAll(List.of("-e", field)));
    Process process =
        tshark
            .redirectOutput(answer.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(process.waitFor()).isZero();
    Map<String, Map<String, Integer>> counts = new HashMap<>();
    FIELDS.forEach(field -> counts.put(field, new HashMap<>()));
    for (String line : Files.readAllLines(answer)) {
      String[] values = line.split("\t", -1);
      for (int i = 0; i < values.length; i++) {
        if (!values[i].isEmpty()) {
          counts.get(FIELDS.get(i)).merge(values[i], 1, Integer::sum);
        }
      }
    }
    return counts;
  }

  private static int count(Map<String, Map<String, Integer>> told, String field) {
    return told.get(field).values().stream().mapToInt(Integer::intValue).sum();
  }
}
