// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.offheap.ring.RingDirectory;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A card's packets from the wire to the ring files, by an emulated card. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class CardTapTest {
  /** Clocks that have nothing to do with each other are years apart. */
  private static final long NEAR_NS = 100_000_000;

  @TempDir Path folder;

  /** Bit by bit and in the same order, but for time and generation. */
  @ParameterizedTest
  @CsvSource({"model, FLOWSTONE", "model, AMD", "rtl, FLOWSTONE", "rtl, AMD"})
  void shouldGiveTheRecordsOfAReplayUnderTheCardsProfile(String engine, CardLane lane)
      throws Exception {
    BuiltEmulator.requireEngine(engine, "no packet went through the kernels' RTL");
    List<Path> captures = ReplayedCaptures.whole(folder);
    String feed = captures.stream().map(Path::toString).collect(Collectors.joining(","));
    try (EmulatedTap card =
        new EmulatedTap(lane, folder, engine, "--feed", feed, "--pace", "wait")) {
      CardCounters counters = card.start().finish();
      RingDirectory replayed = ReplayedCaptures.replay(folder.resolve("replayed"), captures);
      assertThat(counters.packets()).isPositive();
      assertThat(counters.lostPackets()).isZero();
      for (int ring = 0; ring < MadeFiles.SHAPE.ringCount(); ring++) {
        assertThat(MadeFiles.records(card.files.directory(), ring))
            .as("ring %d", ring)
            .isNotEmpty()
            .isEqualTo(MadeFiles.records(replayed, ring));
      }
      assertThat(card.areFilesEnded()).isTrue();
      assertThat(card.said).isEmpty();
      assertThat(counters.pumps()).allSatisfy(pump -> assertThat(pump.misplacedRecords()).isZero());
    }
  }

  @Test
  void shouldStampPacketsByTheHostsClock() throws Exception {
    try (EmulatedTap card = new EmulatedTap(folder, "model", "--feed", "generator:rate=10000")) {
      long beganNs = System.currentTimeMillis() * 1_000_000;
      card.start();
      EmulatedTap.await(() -> card.tap != null && isSeenNear(card.tap.counters()));
      card.stop();
      long endedNs = (System.currentTimeMillis() + 1) * 1_000_000;
      assertThat(card.files.counters())
          .allSatisfy(ring -> assertThat(ring.latestTimeNs()).isBetween(beganNs, endedNs));
    }
  }

  /** Two clocks do not agree to the nanosecond: 0 says that nobody has looked. */
  private static boolean isSeenNear(CardCounters counters) {
    return counters.clockOffsetNs() != 0 && Math.abs(counters.clockOffsetNs()) < NEAR_NS;
  }

  /** What the card itself drops is told as lost before the tap, exactly. */
  @Test
  void shouldTellWhatTheCardDroppedSinceNobodyReads() throws Exception {
    try (EmulatedTap card =
        new EmulatedTap(folder, "model", "--feed", "generator:packets=1000000", "--pace", "max")) {
      try (HeldFiles _ = new HeldFiles(card)) {
        card.start();
        CardCounters counters = card.finish();
        assertThat(counters.receivedPackets()).isEqualTo(1_000_000);
        assertThat(counters.losses().get(CardLoss.RING_FULL)).isPositive();
        assertThat(counters.packets() + counters.lostPackets()).isEqualTo(1_000_000);
        assertThat(card.toldPackets()).isEqualTo(1_000_000);
      }
    }
  }

  /** Full rings cannot tell the time either: a job that is away is no card that hangs. */
  @Test
  void shouldWaitForReadersForAsLongAsTheyTake() throws Exception {
    try (EmulatedTap card =
        new EmulatedTap(folder, "model", "--feed", "generator:packets=3000000,rate=1000000")) {
      try (HeldFiles _ = new HeldFiles(card)) {
        card.start();
        EmulatedTap.await(() -> card.state("port-0.packets").equals("3000000"));
        Thread.sleep(7_000);
        assertThat(card.isRunning()).as("the tap waits").isTrue();
      }
      CardCounters counters = card.stop();
      assertThat(counters.losses().get(CardLoss.RING_FULL)).isPositive();
      assertThat(card.toldPackets()).isEqualTo(3_000_000);
      assertThat(card.said).isEmpty();
    }
  }

  @Test
  void shouldGoOnFromTapToTap() throws Exception {
    try (EmulatedTap card =
        new EmulatedTap(folder, "model", "--feed", "generator:packets=100000,rate=100000")) {
      card.start();
      Thread.sleep(300);
      CardCounters first = card.stop();
      assertThat(first.receivedPackets()).isPositive();
      card.start().finish();
      assertThat(card.toldPackets()).isEqualTo(card.stateNumber("port-0.packets"));
      assertThat(card.said).isEmpty();
    }
  }
}
