// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.resample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What tshark says of frames that were captured whole, before and after they were resampled. */
class TsharkOracleTest {
  private static final int INSTANCES = 5;
  private static final long SECOND_NS = 1_000_000_000;
  private static final int WRONG = 0;
  private static final int RIGHT = 1;

  @TempDir private Path folder;

  @Test
  void shouldAgreeThatChecksumsAreAsRightAsBefore() throws IOException, InterruptedException {
    assumeTrue(isThere(), "SKIPPED: tshark is not installed: apt-get install tshark");
    for (Path capture : Fixtures.all()) {
      Map<String, Integer> template = ask(SeenPackets.of(capture));
      Map<String, Integer> expected = new HashMap<>();
      template.forEach((status, count) -> expected.put(status, count * INSTANCES));
      assertThat(template.keySet()).anyMatch(status -> status.contains("" + RIGHT));
      assertThat(template.keySet()).noneMatch(status -> status.contains("" + WRONG));
      ResampleOptions options = ResampleOptions.of(List.of(capture)).withInstances(INSTANCES);
      assertThat(ask(SeenPackets.of(options))).as(capture.toString()).isEqualTo(expected);
    }
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

  /** How often checksums of IPv4, TCP, UDP, ICMP and ICMPv6 are in the same state together. */
  private Map<String, Integer> ask(SeenPackets packets) throws IOException, InterruptedException {
    Path capture = folder.resolve("whole.pcap");
    Path answer = folder.resolve("answer");
    Files.write(capture, pcap(packets));
    Process tshark =
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
                "ip.defragment:FALSE",
                "-o",
                "tcp.check_checksum:TRUE",
                "-o",
                "udp.check_checksum:TRUE",
                "-e",
                "ip.checksum.status",
                "-e",
                "tcp.checksum.status",
                "-e",
                "udp.checksum.status",
                "-e",
                "icmp.checksum.status",
                "-e",
                "icmpv6.checksum.status")
            .redirectOutput(answer.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(tshark.waitFor()).isZero();
    Map<String, Integer> counts = new HashMap<>();
    Files.readAllLines(answer).forEach(line -> counts.merge(line, 1, Integer::sum));
    return counts;
  }

  private static byte[] pcap(SeenPackets packets) {
    ByteBuffer bytes = ByteBuffer.allocate(1 << 22).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(0xa1b23c4d).putInt(0x0004_0002).putLong(0).putInt(1 << 16).putInt(1);
    for (SeenPackets.Packet packet : packets.packets) {
      int length = packet.frame().capacity();
      if (length == packet.wireBytes()) {
        bytes.putInt((int) (packet.timeNs() / SECOND_NS));
        bytes.putInt((int) (packet.timeNs() % SECOND_NS));
        bytes.putInt(length).putInt(length).put(packet.frame().duplicate());
      }
    }
    byte[] whole = new byte[bytes.position()];
    bytes.flip().get(whole);
    return whole;
  }
}
