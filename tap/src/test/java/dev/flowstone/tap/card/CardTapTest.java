// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.offheap.ring.RingDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
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

  @Test
  void shouldGiveTheRecordsOfAReplayUnderTheCardsProfile() throws Exception {
    requireRecordsOfAReplay("model", CardLane.FLOWSTONE);
  }

  /** {@link CardFeedsTest} carries captures through the RTL and AMD's library by default. */
  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"model, AMD", "rtl, FLOWSTONE", "rtl, AMD"})
  void shouldGiveTheSameRecordsByEachEngineAndLibrary(String engine, CardLane lane)
      throws Exception {
    requireRecordsOfAReplay(engine, lane);
  }

  /** Bit by bit and in the same order, except for time and generation. */
  private void requireRecordsOfAReplay(String engine, CardLane lane) throws Exception {
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

  /** The host's clock is ten seconds later whenever it is read. */
  @Test
  void shouldSetTheClocksOfBothPortsToTheSameTime() throws Exception {
    AtomicLong hostNs = new AtomicLong();
    try (EmulatedTap emulated = new EmulatedTap(folder, "model", "--feed", "generator:rate=10000");
        Card card = emulated.openCard()) {
      card.start(
          MadeFiles.SHAPE,
          CardRuleTable.EMPTY,
          () -> hostNs.addAndGet(10_000_000_000L),
          () -> CardLimits.DEFAULT);
      long beforeNs = card.ports().getFirst().timeNs();
      long secondNs = card.ports().getLast().timeNs();
      long afterNs = card.ports().getFirst().timeNs();
      assertThat(secondNs).isBetween(beforeNs - NEAR_NS, afterNs + NEAR_NS);
    }
  }

  /** Two clocks do not agree to the nanosecond: 0 says that nobody has looked. */
  private static boolean isSeenNear(CardCounters counters) {
    return counters.clockOffsetNs() != 0 && Math.abs(counters.clockOffsetNs()) < NEAR_NS;
  }

  @Test
  void shouldReportPacketsThatTheCardDropped() throws Exception {
    try (EmulatedTap card =
            new EmulatedTap(
                folder, "model", "--feed", "generator:packets=1000000", "--pace", "max");
        HeldFiles _ = new HeldFiles(card.files)) {
      card.limits = CardLimits.DEFAULT.withFullRing(Duration.ZERO);
      CardCounters counters = card.start().finish();
      assertThat(counters.receivedPackets()).isEqualTo(1_000_000);
      assertThat(counters.losses().get(CardLoss.RING_FULL)).isPositive();
      assertThat(counters.packets() + counters.lostPackets()).isEqualTo(1_000_000);
      assertThat(card.toldPackets()).isEqualTo(1_000_000);
    }
  }

  /** A full ring cannot get a TIME record either: the card does not hang. */
  @Test
  void shouldWaitForReadersIndefinitely() throws Exception {
    try (EmulatedTap card = new EmulatedTap(folder, "model", "--feed", "generator:rate=2000000")) {
      card.limits = CardLimits.DEFAULT.withFullRing(Duration.ZERO);
      try (HeldFiles _ = new HeldFiles(card.files)) {
        card.start().awaitPackets(1);
        awaitStandstill(card);
        card.tap.limit(card.limits.withSilence(Duration.ZERO));
        card.awaitTwoPolls();
        assertThat(card.isRunning()).as("the tap waits").isTrue();
      }
      CardCounters counters = card.stop();
      assertThat(counters.losses().get(CardLoss.RING_FULL)).isPositive();
      EmulatedTap.await(() -> card.toldPackets() == card.stateNumber("port-0.packets"));
      assertThat(card.said).isEmpty();
    }
  }

  /** Waits until the rings of the card drop packets and have the heads of the poll before. */
  private static void awaitStandstill(EmulatedTap card) throws Exception {
    List<Long> heads = List.of();
    List<Long> before;
    do {
      before = heads;
      card.awaitTwoPolls();
      heads =
          card.tap.counters().rings().stream()
              .filter(ring -> ring.droppedPackets() > 0)
              .map(CardRingCounters::headPosition)
              .toList();
    } while (heads.size() < MadeFiles.SHAPE.ringCount() || !heads.equals(before));
  }

  @Test
  void shouldResumeWhereTheFormerTapStopped() throws Exception {
    try (EmulatedTap card =
        new EmulatedTap(folder, "model", "--feed", "generator", "--pace", "wait")) {
      card.start().awaitPackets(10_000);
      CardCounters first = card.stop();
      card.start().awaitPackets(10_000);
      CardCounters second = card.stop();
      assertThat(first.lostPackets() + second.lostPackets()).isZero();
      EmulatedTap.await(() -> card.toldPackets() == card.stateNumber("port-0.packets"));
      assertThat(card.toldPackets()).isEqualTo(first.packets() + second.packets());
      assertThat(card.said).isEmpty();
    }
  }
}
