// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static dev.flowstone.tap.card.MadeCardRing.SLOTS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.NativeCallException;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.RingAppender;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingReader;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.RingStart;
import dev.flowstone.offheap.ring.WhenFull;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A card's ring by hand, its pump, and a job that reads the file. */
class RingPumpTest {
  private static final long SECOND_NS = 1_000_000_000;
  private static final long START_NS = 1_700_000_000 * SECOND_NS;

  @TempDir Path folder;

  private final MadeCardRing card = new MadeCardRing();
  private final CardLosses losses = new CardLosses();
  private final RingAccount account = new RingAccount(losses);
  private RingSetWriter writer;
  private RingAppender file;
  private RingPump pump;
  private RingFile ring;
  private GatingReader job;

  @BeforeEach
  void begin() {
    RingDirectory directory = new RingDirectory(folder);
    writer =
        RingSetWriter.create(
            directory,
            new RingSpecification(1, 10, RingClock.HARDWARE, 128, "card", Optional.empty()),
            WhenFull.DROP);
    file = writer.appender(0);
    pump = new RingPump(card.ring(), file, account, new CardShape(1, 10, 128), START_NS);
    ring = RingFile.open(directory.ringFile(0));
    job = new GatingReader(ring, "job", RingStart.OLDEST);
  }

  @AfterEach
  void end() {
    ring.close();
    writer.close();
  }

  private List<Integer> read() {
    List<Integer> numbers = new ArrayList<>();
    while (true) {
      switch (job.poll(100)) {
        case PACKETS -> {
          for (int i = 0; i < job.runCount(); i++) {
            numbers.add(
                PacketRecord.sequence(ring.slots(), ring.slotOffset(job.runPosition() + i)));
          }
        }
        case CLOCK -> {}
        case NOTHING, END -> {
          job.release(job.position());
          return numbers;
        }
      }
    }
  }

  private static List<Integer> numbers(int from, int to) {
    return IntStream.range(from, to).boxed().toList();
  }

  /** What every test may end with: the card says all that it counted, and nothing is left over. */
  private void requireWhole(List<Integer> all) {
    account.settle(card.offered, card.dropped, START_NS, CardLoss.LEFT_BEHIND);
    losses.tell(file);
    writer.end();
    all.addAll(read());
    assertThat(all.size() + job.lost().beforeTap() + job.lost().inRing()).isEqualTo(card.offered);
    assertThat(job.unexplainedPackets()).isZero();
  }

  @Test
  void shouldCarryPacketsThroughManyLaps() {
    List<Integer> all = new ArrayList<>();
    for (int round = 0; round < 40; round++) {
      card.time(START_NS + round * SECOND_NS);
      card.packets(700, START_NS + round * SECOND_NS + 5);
      assertThat(pump.pump(true)).isEqualTo(RingPump.Outcome.TAKEN);
      all.addAll(read());
      assertThat(card.credit).isEqualTo(card.head);
    }
    assertThat(pump.pump(true)).isEqualTo(RingPump.Outcome.IDLE);
    assertThat(all).isEqualTo(numbers(0, 28_000));
    requireWhole(all);
    assertThat(losses.counts().values()).containsOnly(0L);
    assertThat(pump.counters().misplacedRecords()).isZero();
  }

  @Test
  void shouldTakeTheCardsTimeForPacketsThatFollow() {
    card.time(START_NS);
    card.packet(START_NS + 3);
    card.time(START_NS + 7 * SECOND_NS);
    card.packet(START_NS + 7 * SECOND_NS + 4);
    pump.pump(true);
    List<Long> times = new ArrayList<>();
    while (true) {
      RingReader.Poll found = job.poll(100);
      if (found == RingReader.Poll.NOTHING) {
        break;
      }
      if (found == RingReader.Poll.PACKETS) {
        int low = PacketRecord.timeLow(ring.slots(), ring.slotOffset(job.runPosition()));
        times.add(PacketRecord.timeNs(low, job.time().baseNs()));
      }
    }
    assertThat(times).containsExactly(START_NS + 3, START_NS + 7 * SECOND_NS + 4);
  }

  @Test
  void shouldTellAQuietRingTheTime() {
    card.time(START_NS);
    pump.pump(true);
    card.time(START_NS + SECOND_NS);
    pump.pump(true);
    assertThat(ring.counters().latestTimeNs()).isEqualTo(START_NS + SECOND_NS);
  }

  @Test
  void shouldTellWhatTheCardsRingDropped() {
    card.time(START_NS);
    card.packets(10, START_NS);
    card.loss(7, START_NS + 1);
    card.packets(10, START_NS);
    pump.pump(true);
    assertThat(losses.counts()).containsEntry(CardLoss.RING_FULL, 7L);
    losses.tell(file);
    List<Integer> all = read();
    requireWhole(all);
    assertThat(job.lost().beforeTap()).isEqualTo(7);
  }

  /** They stay in the card, which has room of its own. */
  @Test
  void shouldLeaveInTheCardWhatFindsNoRoom() {
    card.time(START_NS);
    card.packets(SLOTS - 1, START_NS);
    assertThat(pump.pump(true)).isEqualTo(RingPump.Outcome.FULL);
    long taken = card.credit;
    assertThat(taken).isLessThan(SLOTS);
    assertThat(pump.pump(true)).isEqualTo(RingPump.Outcome.FULL);
    List<Integer> all = read();
    assertThat(pump.pump(true)).isEqualTo(RingPump.Outcome.TAKEN);
    assertThat(card.credit).isEqualTo(SLOTS);
    all.addAll(read());
    assertThat(all).isEqualTo(numbers(0, SLOTS - 1));
    requireWhole(all);
  }

  @Test
  void shouldDropWhatFindsNoRoomWhereNobodyWaits() {
    card.time(START_NS);
    card.packets(SLOTS - 1, START_NS);
    assertThat(pump.pump(false)).isEqualTo(RingPump.Outcome.TAKEN);
    assertThat(card.credit).isEqualTo(SLOTS);
    assertThat(ring.counters().droppedPackets()).isPositive();
    requireWhole(read());
  }

  /** A slot is late whole, or only its second half, which has the generation. */
  @ParameterizedTest
  @ValueSource(ints = {0, 32})
  void shouldFetchAgainWhatTheHeadPromisedTooEarly(int keptBytes) {
    card.time(START_NS);
    card.packets(20, START_NS);
    byte[] was = card.spoil(10, keptBytes);
    card.beforeFetch =
        () -> {
          if (card.fetches == 3) {
            card.repair(10, was);
          }
        };
    pump.pump(true);
    List<Integer> all = read();
    assertThat(all).isEqualTo(numbers(0, 20));
    assertThat(pump.counters().repeatedFetches()).isEqualTo(2);
    assertThat(pump.counters().damagedSlots()).isZero();
    requireWhole(all);
  }

  /** Its packet is lost, and those behind it have no time until the next clock mark. */
  @Test
  void shouldTellOfASlotThatStaysWrong() {
    card.time(START_NS);
    card.packets(20, START_NS);
    card.spoil(10);
    card.time(START_NS + SECOND_NS);
    card.packets(5, START_NS + SECOND_NS);
    pump.pump(true);
    List<Integer> all = read();
    assertThat(all).hasSize(24).doesNotContain(9);
    assertThat(pump.counters().damagedSlots()).isEqualTo(1);
    assertThat(losses.counts()).containsEntry(CardLoss.DAMAGED, 1L);
    requireWhole(all);
  }

  /** Each is looked at, and none costs a wait of its own. */
  @Test
  void shouldWaitOnceForAllThatStaysWrong() {
    card.time(START_NS);
    card.packets(900, START_NS);
    for (int slot = 100; slot < 900; slot += 2) {
      card.spoil(slot);
    }
    pump.pump(true);
    assertThat(card.fetches).isEqualTo(1 + 8);
    assertThat(pump.counters().damagedSlots()).isEqualTo(400);
    List<Integer> all = read();
    assertThat(all).hasSize(500).contains(98, 100, 102).doesNotContain(99, 101);
    // What is fetched later is waited for again.
    card.packets(3, START_NS);
    byte[] was = card.spoil(902);
    card.beforeFetch = () -> card.repair(902, was);
    pump.pump(true);
    all.addAll(read());
    assertThat(all).hasSize(503);
    requireWhole(all);
  }

  /**
   * Also where there is no end to what comes; what is left in the card is told of by whoever stops
   * it.
   */
  @Test
  @Timeout(10)
  void shouldEndInTime() {
    card.beforeFetch = () -> card.packets(5, START_NS);
    card.packets(5, START_NS);
    job.leave();
    PumpLoop loop = new PumpLoop(pump, true, () -> {});
    long nowNs = System.nanoTime();
    loop.finish(nowNs, nowNs + 50_000_000);
    loop.run();
    assertThat(pump.waiting()).isPositive();
    assertThat(account.takenPackets()).isPositive();
  }

  /** It held no packet but news of some. */
  @Test
  void shouldKnowWhatALossRecordSaidThatIsDamaged() {
    card.time(START_NS);
    card.packets(3, START_NS);
    long lossAt = card.head;
    card.loss(50, START_NS);
    card.packets(3, START_NS);
    card.spoil(lossAt);
    card.time(START_NS + SECOND_NS);
    pump.pump(true);
    assertThat(losses.counts()).containsEntry(CardLoss.RING_FULL, 50L);
    assertThat(losses.counts()).containsEntry(CardLoss.DAMAGED, 0L);
    requireWhole(read());
  }

  @Test
  void shouldMarkPacketsBehindADamagedClockMarkAsUndated() {
    card.time(START_NS);
    card.packets(3, START_NS);
    long timeAt = card.head;
    card.time(START_NS + 100 * SECOND_NS);
    card.packets(3, START_NS + 100 * SECOND_NS);
    card.spoil(timeAt);
    pump.pump(true);
    List<Boolean> trusted = new ArrayList<>();
    for (RingReader.Poll found = job.poll(100); found != RingReader.Poll.NOTHING; ) {
      if (found == RingReader.Poll.PACKETS) {
        trusted.add(job.time().isTrusted());
      }
      found = job.poll(100);
    }
    assertThat(trusted).containsExactly(true, false);
  }

  /** No object per packet, and few per batch. */
  @Test
  void shouldAllocateNothingForAPacket() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    job.leave();
    int warmUp = 3000;
    int rounds = 1000;
    long allocated = 0;
    for (int round = 0; round < warmUp + rounds; round++) {
      card.packets(700, START_NS);
      long before = threads.getCurrentThreadAllocatedBytes();
      pump.pump(true);
      allocated += round < warmUp ? 0 : threads.getCurrentThreadAllocatedBytes() - before;
    }
    assertThat(allocated / (700.0 * rounds)).isLessThan(1);
  }

  @Test
  void shouldReportPacketsThatCameTwice() {
    card.time(START_NS);
    card.packets(5, START_NS);
    card.packet(START_NS);
    card.offered--;
    card.time(START_NS + SECOND_NS);
    pump.pump(true);
    assertThat(pump.counters().surplusPackets()).isEqualTo(1);
  }

  /** One of each run is looked at. */
  @Test
  void shouldCountRecordsOfAnotherRing() {
    CardShape two = new CardShape(2, 10, 128);
    RingPump pumpOfTwo = new RingPump(card.ring(), file, account, two, START_NS);
    byte[] rings = KeyGroups.ringTable(128, 2);
    int of0 = 0;
    while (rings[KeyGroups.keyGroup(of0, 128)] != 0) {
      of0++;
    }
    int of1 = 0;
    while (rings[KeyGroups.keyGroup(of1, 128)] != 1) {
      of1++;
    }
    for (int flowHash : new int[] {of0, of1, of1}) {
      card.packetOfFlow(flowHash);
      card.time(START_NS);
    }
    pumpOfTwo.pump(true);
    assertThat(pumpOfTwo.counters().misplacedRecords()).isEqualTo(2);
  }

  @Test
  void shouldTryACopyThatFailsAgain() {
    card.time(START_NS);
    card.packets(5, START_NS);
    card.failures = 3;
    pump.pump(true);
    assertThat(pump.counters().failedFetches()).isEqualTo(3);
    List<Integer> all = read();
    assertThat(all).hasSize(5);
    requireWhole(all);
  }

  @Test
  void shouldGiveUpOnACopyThatFailsAgainAndAgain() {
    card.packets(5, START_NS);
    card.failures = 100;
    assertThatThrownBy(() -> pump.pump(true))
        .isInstanceOf(NativeCallException.class)
        .hasMessageContaining("errno 5");
  }

  /** All ones are what a bus gives on which nobody answers. */
  @Test
  void shouldRefuseAHeadThatCannotBe() {
    card.headLow = -1;
    assertThatThrownBy(() -> pump.pump(true))
        .isInstanceOf(CardException.class)
        .hasMessageContaining("0xffffffff");
  }

  @Test
  void shouldFollowAHeadBeyondItsLowWord() {
    long far = (1L << 32) - 3;
    CardRing high = new CardRing(0, card, card, 10);
    card.head = far + 5;
    assertThat(high.head(far, far)).isEqualTo(far + 5);
    card.head = far + 9;
    assertThat(high.counters().headPosition()).isEqualTo(far + 9);
  }
}
