// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Faults of a card: each is found, counted, and got over or reported; no packet is missed in
 * silence.
 */
@ParameterizedClass
@EnumSource(
    value = CardLane.class,
    names = {"FLOWSTONE", "AMD"})
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CardFaultTest {
  private static final long PACKETS = 200_000;
  private static final int MOST_TRIES = 3;

  @Parameter CardLane lane;
  @TempDir Path folder;

  private EmulatedTap card(String... faults) throws IOException, InterruptedException {
    return cardIn(folder, faults);
  }

  private EmulatedTap cardIn(Path place, String... faults)
      throws IOException, InterruptedException {
    String[] options = new String[4 + 2 * faults.length];
    options[0] = "--feed";
    options[1] = "generator:packets=" + PACKETS;
    options[2] = "--pace";
    options[3] = "200000";
    for (int i = 0; i < faults.length; i++) {
      options[4 + 2 * i] = "--fault";
      options[5 + 2 * i] = faults[i];
    }
    return new EmulatedTap(lane, place, "model", options);
  }

  private static long sum(CardCounters counters, ToLongFunction<PumpCounters> counter) {
    return counters.pumps().stream().mapToLong(counter).sum();
  }

  /**
   * Fetched again, it is there. Where a machine is so busy that the emulator comes later than a tap
   * waits, the tap counts that, and it is tried again: most are in time once.
   */
  @ParameterizedTest
  @ValueSource(strings = {"late-head", "torn-record"})
  void shouldFetchAgainWhatIsLate(String fault) throws Exception {
    int tries = 0;
    while (!isMostlyInTime(
        folder.resolve("try-" + tries),
        fault + ":after=10000,every=10000,count=15,delay-us=2000")) {
      tries++;
      assertThat(tries).as("times that most came too late").isLessThan(MOST_TRIES);
    }
  }

  private boolean isMostlyInTime(Path place, String late) throws Exception {
    try (EmulatedTap card = cardIn(place, late)) {
      CardCounters counters = card.start().finish();
      long injected = card.stateNumber("fault." + late.substring(0, late.indexOf(':')));
      assertThat(injected).isPositive();
      assertThat(sum(counters, PumpCounters::repeatedFetches)).isPositive();
      assertThat(counters.packets() + counters.lostPackets()).isEqualTo(PACKETS);
      long damaged = sum(counters, PumpCounters::damagedSlots);
      System.out.printf(
          "CardFaultTest: %s, %d injected, %d given up as damaged, %d packets lost%n",
          late, injected, damaged, counters.lostPackets());
      return damaged < injected / 2 && counters.lostPackets() < injected / 2;
    }
  }

  @Test
  void shouldTellOfSlotsThatStayWrong() throws Exception {
    try (EmulatedTap card = card("stale-lap:after=10000,every=10000,count=3")) {
      CardCounters counters = card.start().finish();
      long injected = card.stateNumber("fault.stale-lap");
      assertThat(injected).isPositive();
      assertThat(sum(counters, PumpCounters::damagedSlots)).isEqualTo(injected);
      // A slot may have held a TIME record, which is no packet.
      assertThat(counters.packets() + counters.lostPackets()).isEqualTo(PACKETS);
      assertThat(counters.losses().get(CardLoss.DAMAGED)).isBetween(1L, injected);
      assertThat(card.toldPackets()).isEqualTo(PACKETS);
    }
  }

  /** A slot in each write. */
  @Test
  void shouldTellOfManySlotsThatStayWrong() throws Exception {
    try (EmulatedTap card = card("stale-lap:after=1,every=1")) {
      CardCounters counters = card.start().finish();
      assertThat(sum(counters, PumpCounters::damagedSlots))
          .isEqualTo(card.stateNumber("fault.stale-lap"))
          .isGreaterThan(1_000);
      assertThat(card.toldPackets()).isEqualTo(PACKETS);
      assertThat(card.areFilesEnded()).isTrue();
    }
  }

  @Test
  void shouldReportRecordsThatStandInTwoSlots() throws Exception {
    try (EmulatedTap card = card("duplicate:after=10000,every=10000,count=3")) {
      CardCounters counters = card.start().finish();
      long injected = card.stateNumber("fault.duplicate");
      assertThat(injected).isPositive();
      assertThat(counters.surplusPackets()).isEqualTo(injected);
      assertThat(counters.packets()).isEqualTo(PACKETS + injected);
      assertThat(counters.lostPackets()).isZero();
    }
  }

  @Test
  void shouldTryCopiesAgainThatFail() throws Exception {
    try (EmulatedTap card = card("sync-error:after=10,every=20,count=10")) {
      CardCounters counters = card.start().finish();
      assertThat(sum(counters, PumpCounters::failedFetches))
          .isPositive()
          .isEqualTo(card.stateNumber("fault.sync-error"));
      // Which is no loss of a copy's: on a busy machine a tap may come too late for a full ring.
      long late = counters.losses().get(CardLoss.RING_FULL);
      assertThat(counters.lostPackets()).as("%s", counters.losses()).isEqualTo(late);
      assertThat(counters.packets()).isEqualTo(PACKETS - late);
      assertThat(late).isLessThan(PACKETS / 20);
    }
  }

  /** A card that answers is stopped, so that the next tap goes on where this one ended. */
  @Test
  void shouldTellOfAllThatCameAlsoWhereCopiesFailForGood() throws Exception {
    try (EmulatedTap card = card("sync-error:after=20,every=1,count=10")) {
      assertThat(card.start().failure()).isInstanceOf(CardException.class);
      CardCounters first = card.tap.counters();
      assertThat(first.packets() + first.lostPackets()).isEqualTo(first.receivedPackets());
      assertThat(card.toldPackets()).isEqualTo(first.receivedPackets()).isPositive();
      assertThat(card.areFilesEnded()).isTrue();
      CardCounters second = card.start().finish();
      assertThat(second.lostPackets()).isZero();
      assertThat(card.toldPackets()).isEqualTo(PACKETS);
      assertThat(card.said).isEmpty();
    }
  }

  /** As when a ring cannot be had any more: kernels that go on would write into nobody's memory. */
  @Test
  void shouldStopWhatItBeganWhereItCannotGoOn() throws Exception {
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

  /** The kernels are started anew; what was in the card by then is counted. */
  @Test
  void shouldStartAnewWhereARingStandsStill() throws Exception {
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
  void shouldGiveUpOnAMemoryThatRefusesWritesAgainAndAgain() throws Exception {
    try (EmulatedTap card = card("refused-write:after=1,every=1,ring=1")) {
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
    try (EmulatedTap card = card("hang:after=50000")) {
      Throwable failure = card.start().failure();
      assertThat(failure).isInstanceOf(CardException.class).hasMessageContaining("hang");
      assertThat(card.areFilesEnded()).isTrue();
      CardCounters counters = card.tap.counters();
      assertThat(counters.packets() + counters.lostPackets()).isEqualTo(counters.receivedPackets());
      assertThat(card.toldPackets()).isEqualTo(counters.receivedPackets());
    }
  }

  /** Also when somebody stops the tap just then. */
  @Test
  void shouldReportKernelsThatDoNotStop() throws Exception {
    try (EmulatedTap card = card("hang:after=50000")) {
      card.start();
      EmulatedTap.await(() -> card.state("fault.hang").equals("1"));
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
  void shouldReportACardThatIsGone(String fault) throws Exception {
    try (EmulatedTap card = card(fault + ":after=50000")) {
      Throwable failure = card.start().failure();
      assertThat(failure).isInstanceOf(CardException.class).hasMessageContaining("card 0: ");
      assertThat(card.areFilesEnded()).isTrue();
      CardCounters counters = card.tap.counters();
      assertThat(counters.packets()).isPositive();
      assertThat(card.toldPackets()).isEqualTo(counters.packets() + counters.lostPackets());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"wrong-version", "wrong-magic"})
  void shouldRefuseACardOfAnotherKind(String fault) throws Exception {
    try (EmulatedTap card = card(fault)) {
      assertThatThrownBy(card::openCard)
          .isInstanceOf(CardException.class)
          .hasMessageContaining(fault.substring("wrong-".length()))
          .hasMessageContaining("xclbin");
    }
  }
}
