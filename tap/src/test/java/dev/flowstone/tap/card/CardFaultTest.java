// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Faults of an emulated card: the tap finds and counts each fault, and recovers or reports it. The
 * card waits for free slots, so only faults lose packets. A time limit becomes short once the fault
 * has occurred.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CardFaultTest {
  /**
   * The rings of the card hold 131,072 records: once the card has received 150,000 packets, all
   * kernels run and the tap has taken packets.
   */
  private static final long PACKETS = 200_000;

  /** Enough for the rings of the card to be full at four starts. */
  private static final long MANY_PACKETS = 1_000_000;

  private static final CardLimits SHORT =
      CardLimits.DEFAULT.withSilence(Duration.ZERO).withStop(Duration.ofMillis(10));

  @TempDir Path folder;

  CardLane lane() {
    return CardLane.FLOWSTONE;
  }

  private EmulatedTap card(String... faults) throws IOException, InterruptedException {
    return card(PACKETS, faults);
  }

  private EmulatedTap card(long packets, String... faults)
      throws IOException, InterruptedException {
    List<String> options =
        new ArrayList<>(List.of("--feed", "generator:packets=" + packets, "--pace", "wait"));
    for (String fault : faults) {
      options.addAll(List.of("--fault", fault));
    }
    return new EmulatedTap(lane(), folder, "model", options.toArray(String[]::new));
  }

  private static long sum(CardCounters counters, ToLongFunction<PumpCounters> counter) {
    return counters.pumps().stream().mapToLong(counter).sum();
  }

  /** The card writes its counters to a file at most ten times a second. */
  private static void awaitInjected(EmulatedTap card, String fault, long count) throws Exception {
    EmulatedTap.await(() -> card.stateNumber("fault." + fault) == count);
  }

  /** {@link RingPumpTest} proves that the pump fetches such a slot again. */
  @ParameterizedTest
  @ValueSource(strings = {"late-head", "torn-record"})
  void shouldAccountForEachPacketWhenSlotsAreLate(String fault) throws Exception {
    try (EmulatedTap card = card(fault + ":after=10000,every=10000,count=15,delay-us=2000")) {
      CardCounters counters = card.start().finish();
      EmulatedTap.await(() -> card.stateNumber("fault." + fault) > 0);
      assertThat(counters.packets() + counters.lostPackets()).isEqualTo(PACKETS);
      assertThat(counters.lostPackets())
          .isLessThanOrEqualTo(sum(counters, PumpCounters::damagedSlots));
      assertThat(card.toldPackets()).isEqualTo(PACKETS);
    }
  }

  @Test
  void shouldReportSlotsThatStayWrong() throws Exception {
    try (EmulatedTap card = card("stale-lap:after=10000,every=10000,count=3")) {
      CardCounters counters = card.start().finish();
      long damaged = sum(counters, PumpCounters::damagedSlots);
      assertThat(damaged).isPositive();
      awaitInjected(card, "stale-lap", damaged);
      // A slot may have held a TIME record, which is not a packet.
      assertThat(counters.packets() + counters.lostPackets()).isEqualTo(PACKETS);
      assertThat(counters.losses().get(CardLoss.DAMAGED)).isBetween(1L, damaged);
      assertThat(card.toldPackets()).isEqualTo(PACKETS);
    }
  }

  @Test
  void shouldReportAWrongSlotInEveryWrite() throws Exception {
    try (EmulatedTap card = card("stale-lap:after=1,every=1")) {
      CardCounters counters = card.start().finish();
      long damaged = sum(counters, PumpCounters::damagedSlots);
      assertThat(damaged).isGreaterThan(100);
      awaitInjected(card, "stale-lap", damaged);
      assertThat(card.toldPackets()).isEqualTo(PACKETS);
      assertThat(card.areFilesEnded()).isTrue();
    }
  }

  @Test
  void shouldReportDuplicateRecords() throws Exception {
    try (EmulatedTap card = card("duplicate:after=10000,every=10000,count=3")) {
      CardCounters counters = card.start().finish();
      assertThat(counters.surplusPackets()).isPositive();
      assertThat(counters.packets()).isEqualTo(PACKETS + counters.surplusPackets());
      awaitInjected(card, "duplicate", counters.surplusPackets());
      assertThat(counters.lostPackets()).isZero();
    }
  }

  /** Four failures are fewer than the tries of one copy, so that no copy fails permanently. */
  @Test
  void shouldRetryCopiesThatFail() throws Exception {
    try (EmulatedTap card = card("sync-error:after=2,every=3,count=4")) {
      CardCounters counters = card.start().finish();
      assertThat(sum(counters, PumpCounters::failedFetches)).isEqualTo(4);
      awaitInjected(card, "sync-error", 4);
      assertThat(counters.packets()).isEqualTo(PACKETS);
      assertThat(counters.lostPackets()).isZero();
    }
  }

  /**
   * Of nine failures one of the two rings has at least five, which are all tries of a copy; fewer
   * than five are left for the second tap.
   */
  @Test
  void shouldReportAllPacketsWhenCopiesFailPermanently() throws Exception {
    try (EmulatedTap card = card("sync-error:after=4,every=1,count=9")) {
      assertThat(card.start().failure()).isInstanceOf(CardException.class);
      CardCounters first = card.tap.counters();
      assertThat(first.packets() + first.lostPackets()).isEqualTo(first.receivedPackets());
      assertThat(card.toldPackets())
          .isEqualTo(first.receivedPackets())
          .isPositive()
          .isLessThan(PACKETS);
      assertThat(card.areFilesEnded()).isTrue();
      CardCounters second = card.start().finish();
      assertThat(second.lostPackets()).isZero();
      assertThat(card.toldPackets()).isEqualTo(PACKETS);
      assertThat(card.said).isEmpty();
    }
  }

  /** A kernel that continued would write into memory that is no longer the tap's. */
  @Test
  void shouldStopTheKernelsWhenTheTapCannotContinue() throws Exception {
    try (EmulatedTap card = card()) {
      assertThat(card.startThatFails(new IllegalStateException("no threads")).failure())
          .isInstanceOf(CardException.class)
          .hasMessageContaining("no threads");
      try (Card left = card.openCard()) {
        assertThat(left.isRunning()).isFalse();
      }
      assertThat(card.areFilesEnded()).isTrue();
      CardCounters first = card.tap.counters();
      assertThat(card.toldPackets()).isEqualTo(first.receivedPackets());
      card.start().finish();
      assertThat(card.toldPackets()).isEqualTo(PACKETS);
    }
  }

  /** The packets that the card held by then are counted. */
  @Test
  void shouldRestartTheKernelsWhenARingStandsStill() throws Exception {
    try (EmulatedTap card = card("refused-write:after=20000,count=1,ring=1")) {
      card.start().awaitStarts(2);
      CardCounters counters = card.finish();
      assertThat(counters.starts()).isEqualTo(2);
      assertThat(counters.losses().get(CardLoss.LEFT_BEHIND)).isPositive();
      assertThat(card.said).singleElement().asString().contains("refused a write");
      assertThat(card.toldPackets()).isEqualTo(PACKETS);
    }
  }

  @Test
  void shouldGiveUpOnAMemoryThatRefusesWritesRepeatedly() throws Exception {
    try (EmulatedTap card = card(MANY_PACKETS, "refused-write:after=1,every=1,ring=1")) {
      assertThat(card.start().failure())
          .isInstanceOf(CardException.class)
          .hasMessageContaining("refuses writes again and again");
      CardCounters counters = card.tap.counters();
      assertThat(counters.starts()).isEqualTo(4);
      assertThat(card.said).hasSize(3);
      assertThat(card.areFilesEnded()).isTrue();
      EmulatedTap.await(() -> card.toldPackets() == card.stateNumber("port-0.packets"));
    }
  }

  @Test
  void shouldReportKernelsThatHang() throws Exception {
    try (EmulatedTap card = card("hang:after=150000")) {
      card.start().awaitFault("hang");
      card.tap.limit(SHORT);
      assertThat(card.failure())
          .isInstanceOf(CardException.class)
          .hasMessageContaining("have not been told the time")
          .hasMessageContaining("hang");
      assertThat(card.areFilesEnded()).isTrue();
      CardCounters counters = card.tap.counters();
      assertThat(counters.packets() + counters.lostPackets()).isEqualTo(counters.receivedPackets());
      assertThat(card.toldPackets()).isEqualTo(counters.receivedPackets());
    }
  }

  @Test
  void shouldReportKernelsThatDoNotStop() throws Exception {
    try (EmulatedTap card = card("hang:after=150000")) {
      card.start().awaitFault("hang");
      card.tap.limit(CardLimits.DEFAULT.withStop(SHORT.stop()));
      assertThatThrownBy(card::stop)
          .isInstanceOf(CardException.class)
          .hasMessageContaining("hang; reset the card");
      assertThat(card.areFilesEnded()).isTrue();
      CardCounters counters = card.tap.counters();
      assertThat(counters.packets() + counters.lostPackets()).isEqualTo(counters.receivedPackets());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"dead-bus", "death"})
  void shouldReportACardThatIsUnreachable(String fault) throws Exception {
    try (EmulatedTap card = card(fault + ":after=150000")) {
      assertThat(card.start().failure())
          .isInstanceOf(CardException.class)
          .hasMessageContaining("card 0: ");
      assertThat(card.areFilesEnded()).isTrue();
      CardCounters counters = card.tap.counters();
      assertThat(counters.packets()).isPositive();
      assertThat(card.toldPackets()).isEqualTo(counters.packets() + counters.lostPackets());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"wrong-version", "wrong-magic"})
  void shouldRejectACardOfAnotherKind(String fault) throws Exception {
    try (EmulatedTap card = card(fault)) {
      assertThatThrownBy(card::openCard)
          .isInstanceOf(CardException.class)
          .hasMessageContaining(fault.substring("wrong-".length()))
          .hasMessageContaining("xclbin");
    }
  }
}
