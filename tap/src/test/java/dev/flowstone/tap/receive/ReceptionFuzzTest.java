// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.tap.datagram.DatagramBuffer;
import dev.flowstone.tap.datagram.DatagramHeader;
import dev.flowstone.tap.datagram.MadeDatagram;
import dev.flowstone.tap.datagram.MadeDatagram.Ancestor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** Whatever comes from the network: no crash, no datagram that no counter shows. */
class ReceptionFuzzTest {
  private static final InetSocketAddress SOMEBODY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);
  private static final int DATAGRAMS = 60;
  private static final long[] INTERESTING = {
    0,
    1,
    2,
    7,
    127,
    128,
    255,
    256,
    257,
    1021,
    65_535,
    1L << 31,
    1L << 61,
    1L << 62,
    -1,
    -2,
    Long.MIN_VALUE,
    Long.MAX_VALUE
  };

  /** Damaged on the way, and so found out, or made so on purpose, with the checksum that fits. */
  @Property(tries = 150, shrinking = ShrinkingMode.OFF)
  void shouldSurviveAndCountDamagedDatagrams(@ForAll long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    Path folder = Files.createTempDirectory("receive");
    try (Reception reception = reception(folder)) {
      for (int i = 0; i < DATAGRAMS; i++) {
        try (MadeDatagram datagram = sound(random, i)) {
          int lengthBytes = damage(datagram, random);
          DatagramBuffer buffer = random.nextInt(3) == 0 ? datagram.buffer() : datagram.checked();
          reception.accept(buffer, lengthBytes, SOMEBODY, i * 1_000_000L);
          reception.lookAtTime(i * 1_000_000L);
        }
      }
      reception.end();
      requireCounted(reception.counters());
    } finally {
      delete(folder);
    }
  }

  @Property(tries = 100, shrinking = ShrinkingMode.OFF)
  void shouldSurviveNoise(@ForAll long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    Path folder = Files.createTempDirectory("receive");
    try (Reception reception = reception(folder);
        MadeDatagram datagram = MadeDatagram.hello(0)) {
      for (int i = 0; i < DATAGRAMS; i++) {
        byte[] noise = new byte[random.nextInt(DatagramBuffer.CAPACITY_BYTES)];
        random.nextBytes(noise);
        datagram.buffer().toFill().put(noise);
        reception.accept(datagram.buffer(), noise.length, SOMEBODY, i);
      }
      assertThat(reception.counters().allRefused()).isEqualTo(DATAGRAMS);
      assertThat(folder).isEmptyDirectory();
    } finally {
      delete(folder);
    }
  }

  private static Reception reception(Path folder) {
    return new Reception(
        new TestRings(folder), new ReceiveOptions(8, Duration.ofMillis(5)), _ -> {}, _ -> {});
  }

  private static MadeDatagram sound(SplittableRandom random, int number) {
    return switch (random.nextInt(4)) {
      case 0 -> MadeDatagram.hello(number);
      case 1 ->
          MadeDatagram.heartbeat(number, number * 10L)
              .incarnation(random.nextInt(3))
              .lineage(new Ancestor(1, random.nextInt(500), 1), new Ancestor(0, 40, 2));
      default -> MadeDatagram.ofPackets(number, number * 10L, 10).run(1, 1);
    };
  }

  private static int damage(MadeDatagram datagram, SplittableRandom random) {
    MemorySegment memory = datagram.memory();
    for (int i = random.nextInt(4); i > 0; i--) {
      long value = INTERESTING[random.nextInt(INTERESTING.length)];
      switch (random.nextInt(3)) {
        case 0 -> memory.set(ValueLayout.JAVA_BYTE, place(datagram, random), (byte) value);
        case 1 -> datagram.setShort(place(datagram, random) & ~1L, (int) value);
        default -> datagram.set(place(datagram, random) & ~7L, value);
      }
    }
    return random.nextInt(10) == 0
        ? random.nextInt(DatagramBuffer.CAPACITY_BYTES + 1)
        : datagram.lengthBytes();
  }

  /** Mostly in the header, where it matters. */
  private static long place(MadeDatagram datagram, SplittableRandom random) {
    return random.nextInt(random.nextBoolean() ? DatagramHeader.BYTES : datagram.lengthBytes());
  }

  private static void requireCounted(ReceiveCounters counters) {
    assertThat(counters.datagrams()).isEqualTo(DATAGRAMS);
    assertThat(counters.waiting()).isZero();
    for (ReceiveCounters.OfRing ring : counters.rings()) {
      assertThat(List.of(ring.packets(), ring.repeated(), ring.lostPackets(), ring.beforeStart()))
          .allSatisfy(count -> assertThat(count).isNotNegative());
    }
  }

  private static void delete(Path folder) throws IOException {
    Files.deleteIfExists(folder.resolve("received.books"));
    new TestRings(folder).directory().delete();
    Files.deleteIfExists(folder);
  }
}
