// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Damaged captures of every format: no crash, no endless loop, no descriptor outside the file. */
class CaptureFuzzTest {
  private static final Duration LONG_ENOUGH = Duration.ofSeconds(20);
  private static final int[] INTERESTING = {
    0, 1, 3, 7, 12, 16, 0x7F, 0xFF, 0x0A0D0D0A, 0x1A2B3C4D, 0x7FFFFFFF, 0x80000000, -1, -2, -16
  };

  private static final List<byte[]> SOUND = List.of(pcap(), pcapng(false), pcapng(true), erf());
  private static Path file;

  @BeforeContainer
  static void makeFile() throws IOException {
    file = Files.createTempFile("fuzz", ".capture");
  }

  @AfterContainer
  static void deleteFile() throws IOException {
    Files.delete(file);
  }

  @Property(tries = 2000, shrinking = ShrinkingMode.OFF)
  void shouldSurviveDamagedCaptures(@ForAll long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] bytes = SOUND.get(random.nextInt(SOUND.size())).clone();
    for (int i = random.nextInt(6); i >= 0; i--) {
      bytes = damage(bytes, random);
    }
    Files.write(file, bytes);
    assertTimeoutPreemptively(LONG_ENOUGH, CaptureFuzzTest::replay);
  }

  @Property(tries = 500, shrinking = ShrinkingMode.OFF)
  void shouldSurviveNoise(@ForAll long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] bytes = new byte[random.nextInt(300)];
    random.nextBytes(bytes);
    Files.write(file, bytes);
    assertTimeoutPreemptively(LONG_ENOUGH, CaptureFuzzTest::replay);
  }

  private static void replay() {
    try {
      ReplayRun run = ReplayRun.of(new ReplayOptions(List.of(file), 2), 3);
      assertThat(run.counters().packets()).isEqualTo(run.packets().size());
    } catch (CaptureException refused) {
      assertThat(refused).hasMessageContaining("accepted: ");
    }
  }

  private static byte[] damage(byte[] bytes, SplittableRandom random) {
    if (bytes.length < 8) {
      return bytes;
    }
    int position = random.nextInt(bytes.length - 4);
    switch (random.nextInt(5)) {
      case 0 -> bytes[position] = (byte) random.nextInt();
      case 1 -> bytes[position] ^= (byte) (1 << random.nextInt(8));
      case 2 -> {
        int value = INTERESTING[random.nextInt(INTERESTING.length)];
        ByteBuffer.wrap(bytes)
            .putInt(position & ~3, random.nextBoolean() ? value : Integer.reverseBytes(value));
      }
      case 3 -> {
        return Arrays.copyOf(bytes, position + 4);
      }
      default -> {
        byte[] spliced = Arrays.copyOf(bytes, bytes.length + 16);
        System.arraycopy(bytes, position, spliced, position + 16, bytes.length - position);
        return spliced;
      }
    }
    return bytes;
  }

  private static byte[] pcap() {
    CaptureBytes bytes = new CaptureBytes(false).pcapHeader(PcapReader.MAGIC_MICROSECONDS, 1);
    for (int i = 0; i < 5; i++) {
      bytes.pcapRecord(i, i, 20 * i, 100);
    }
    return bytes.array();
  }

  private static byte[] pcapng(boolean bigEndian) {
    CaptureBytes bytes = new CaptureBytes(bigEndian);
    CaptureBytes options = bytes.fresh().u16(9).u16(1).u8(9).zeros(3).u16(0).u16(0);
    bytes.section().interfaceBlock(1, 0, bytes.fresh()).interfaceBlock(1, 50, options);
    for (int i = 0; i < 3; i++) {
      bytes.enhancedPacket(i % 2, i, 10 * i, 100).simplePacket(20, 20);
      bytes.block(5, bytes.fresh().zeros(8));
    }
    return bytes.section().array();
  }

  private static byte[] erf() {
    CaptureBytes bytes = new CaptureBytes(true);
    for (int i = 0; i < 5; i++) {
      byte[] body = new byte[30 + i];
      bytes.erf((long) i << 32, 2, 60, body).erf(1, 0x80 | 16, 60, body).erf(1, 48, 0);
    }
    return bytes.array();
  }
}
