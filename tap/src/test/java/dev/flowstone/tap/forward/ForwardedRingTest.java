// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.DatagramFlag;
import dev.flowstone.model.abi.DatagramKind;
import dev.flowstone.offheap.ring.ReaderName;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingLanes;
import dev.flowstone.tap.datagram.DatagramHeader;
import dev.flowstone.tap.datagram.SenderRun;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForwardedRingTest {
  private static final int SLOTS_LOG2 = 14;
  private static final int MOST_RECORDS = 100;
  private static final long MILLISECOND_NS = TimeUnit.MILLISECONDS.toNanos(1);

  @TempDir Path folder;

  private NumberedTap tap;
  private ForwardedRing ring;
  private final List<String> sent = new ArrayList<>();
  private Account latest = new Account(0, 0, 0, 0, 0);
  private boolean networkIsDown;
  private long nowNs = TimeUnit.HOURS.toNanos(1);

  /** What a datagram says of the packets that are not in it. */
  private record Account(
      long packets, long start, long lostInRing, long startLostBeforeTap, long lostBeforeTap) {}

  @BeforeEach
  void begin() {
    tap = new NumberedTap(folder.resolve("rings"), 1, SLOTS_LOG2);
    ring = open(false);
    step();
    sent.clear();
  }

  @AfterEach
  void end() {
    ring.close();
    tap.close();
  }

  private ForwardedRing open(boolean bounded) {
    ReaderName name = ReaderName.of("forward");
    return new ForwardedRing(
        tap.directory.ringFile(0),
        new ForwardOptions(tap.directory, name, false, bounded),
        SenderRun.begin(name),
        MOST_RECORDS,
        this::send);
  }

  private boolean send(ByteBuffer datagram) {
    MemorySegment bytes = MemorySegment.ofBuffer(datagram);
    String kind =
        switch (DatagramHeader.kind(bytes, 0)) {
          case DatagramKind.PACKETS -> DatagramHeader.count(bytes, 0) + " from ";
          case DatagramKind.HEARTBEAT -> "told ";
          default -> "hello ";
        };
    String flags =
        (DatagramHeader.has(bytes, 0, DatagramFlag.RING_ENDED) ? " ended" : "")
            + (DatagramHeader.has(bytes, 0, DatagramFlag.SENDER_LEAVES) ? " leaves" : "");
    sent.add(kind + DatagramHeader.packets(bytes, 0) + flags);
    latest =
        new Account(
            DatagramHeader.packets(bytes, 0),
            DatagramHeader.startPackets(bytes, 0),
            DatagramHeader.lostInRing(bytes, 0),
            DatagramHeader.startLostBeforeTap(bytes, 0),
            DatagramHeader.lostBeforeTap(bytes, 0));
    return !networkIsDown;
  }

  /** Until there is nothing to do. */
  private void step() {
    while (ring.step(nowNs, true)) {
      // Something was done.
    }
  }

  private void later(long milliseconds) {
    nowNs += milliseconds * MILLISECOND_NS;
    step();
  }

  @Test
  void shouldSendFullDatagramsAtOnceAndTheRestAfterAMoment() {
    tap.write(250, 1000);
    step();
    assertThat(sent).containsExactly("100 from 0", "100 from 100");
    later(4);
    assertThat(sent).hasSize(2);
    later(1);
    assertThat(sent).endsWith("50 from 200");
  }

  @Test
  void shouldTellCountsEachSecond() {
    tap.write(10, 1000);
    later(5);
    later(900);
    assertThat(sent).containsExactly("10 from 0");
    later(100);
    later(1000);
    assertThat(sent).containsExactly("10 from 0", "told 10", "told 10");
  }

  @Test
  void shouldTellTheTimeOfAQuietRingAtOnce() {
    tap.tellTime(TimeUnit.SECONDS.toNanos(2));
    step();
    assertThat(sent).containsExactly("told 0");
  }

  @Test
  void shouldPutWhatWasLostBetweenTwoDatagrams() {
    tap.write(10, 1000);
    tap.loseBeforeTap(5);
    tap.write(10, 1000);
    later(5);
    later(5);
    assertThat(sent).containsExactly("10 from 0", "10 from 10");
  }

  /** Two bases in one datagram would be one too many. */
  @Test
  void shouldSendPacketsOfTwoTimeBasesApart() {
    tap.write(5, 1000);
    tap.write(2, TimeUnit.SECONDS.toNanos(3));
    step();
    later(5);
    assertThat(sent).containsExactly("5 from 0", "1 from 5", "1 from 6");
  }

  @Test
  void shouldSendNothingWhileItMayNot() {
    tap.write(500, 1000);
    assertThat(ring.step(nowNs, false)).isFalse();
    nowNs += 1000 * MILLISECOND_NS;
    ring.step(nowNs, false);
    assertThat(sent).containsExactly("told 0");
  }

  @Test
  void shouldSayThatTheRingHasEndedOnlyWhereItEndsWithIt() {
    tap.write(10, 1000);
    tap.end();
    later(5);
    later(1000);
    assertThat(sent).endsWith("told 10");
    assertThat(ring.isEnded()).isFalse();
    ring.sayLast();
    assertThat(sent).endsWith("told 10 leaves");
    ring.close();
    ring = open(true);
    step();
    assertThat(ring.isEnded()).isTrue();
    assertThat(sent).endsWith("told 10 ended");
  }

  /** What was sent since the latest TIME record comes once more, and nothing is left out. */
  @Test
  void shouldGoOnWhereItsLaneStands() {
    tap.write(300, 1000);
    tap.tellTime(TimeUnit.SECONDS.toNanos(2));
    tap.write(100, 1000);
    later(5);
    ring.close();
    sent.clear();
    tap.write(100, 1000);
    ring = open(false);
    later(5);
    assertThat(sent).containsExactly("hello 0", "100 from 300", "100 from 400");
  }

  @Test
  void shouldSayWhatTheRingDropped() {
    tap.write(20_000, 1000);
    step();
    tap.loseBeforeTap(9);
    tap.write(5, 1000);
    later(5);
    later(5);
    later(1000);
    assertThat(ring.counters().lostInRing()).isBetween(3_500L, 5_000L);
    assertThat(latest).isEqualTo(new Account(20_005, 0, ring.counters().lostInRing(), 0, 9));
    assertThat(ring.counters().read()).isEqualTo(20_005 - latest.lostInRing());
    assertThat(ring.counters().lostBeforeTap()).isEqualTo(9);
  }

  /** What came before that is no loss, and nobody's to send. */
  @Test
  void shouldSayWhereItBeganInARingThatItJoinedInItsMidst() {
    ring.close();
    tap.close();
    tap = new NumberedTap(folder.resolve("others"), 1, SLOTS_LOG2);
    tap.write(1_000, MILLISECOND_NS);
    tap.loseBeforeTap(70);
    tap.write(30_000, MILLISECOND_NS);
    ring = open(false);
    later(5);
    later(5);
    long begins = ring.counters().beforeStart();
    assertThat(begins).isBetween(18_000L, 20_000L);
    assertThat(latest.start()).isEqualTo(begins);
    assertThat(latest.startLostBeforeTap()).isEqualTo(70);
    assertThat(latest.lostInRing()).isZero();
    assertThat(ring.counters().read()).isEqualTo(31_000 - begins);
    later(1000);
    assertThat(ring.counters().lostInRing()).isZero();
    assertThat(ring.counters().lostBeforeTap()).isZero();
    assertThat(latest).isEqualTo(new Account(31_000, begins, 0, 70, 70));
  }

  @Test
  void shouldCountWhatTheKernelDidNotTake() {
    networkIsDown = true;
    tap.write(100, 1000);
    step();
    networkIsDown = false;
    tap.write(100, 1000);
    step();
    assertThat(ring.counters().read()).isEqualTo(200);
    assertThat(ring.counters().sent()).isEqualTo(100);
    assertThat(ring.counters().unsent()).isEqualTo(100);
  }

  @Test
  void shouldGoOnWithTheRingsOfTheNextTap() {
    tap.write(100, 1000);
    step();
    tap.startAgain();
    tap.write(50, 1000);
    later(100);
    later(5);
    later(5);
    assertThat(sent).startsWith("100 from 0", "told 100").endsWith("50 from 0");
  }

  @Test
  void shouldEndWhereTheNextTapIsAnotherOne() {
    tap.close();
    tap = new NumberedTap(folder.resolve("rings"), 2, SLOTS_LOG2);
    assertThatThrownBy(() -> later(200))
        .hasMessageContaining("was started again as another one (2 rings instead of 1");
  }

  /** A small ring has no TIME record for long, and must not be held for one. */
  @Test
  void shouldNotHoldMuchOfARingForTheNextStart() {
    tap.write(15_000, 1000);
    step();
    try (RingFile file = RingFile.open(tap.directory.ringFile(0))) {
      RingLanes.Occupant lane = file.lanes().occupants().getFirst();
      assertThat(file.position() - lane.releasedPosition()).isLessThan(4_200);
    }
    tap.write(12_000, 1000);
    step();
    assertThat(ring.counters().lostInRing()).isZero();
    assertThat(ring.readPackets()).isEqualTo(27_000);
  }
}
