// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.tap.datagram.DatagramHeader;
import dev.flowstone.tap.datagram.MadeDatagram;
import dev.flowstone.tap.datagram.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReorderWindowTest {
  private static final int SIZE = 4;
  private static final long PATIENCE_NS = 100;

  private final List<Long> inOrder = new ArrayList<>();
  private final ReorderWindow window =
      new ReorderWindow(
          SIZE, PATIENCE_NS, (memory, at) -> inOrder.add(DatagramHeader.sequence(memory, at)));
  private long nowNs;

  private Optional<Refusal> offer(long sequence) {
    try (MadeDatagram datagram = MadeDatagram.hello(sequence)) {
      return window.offer(datagram.memory(), datagram.lengthBytes(), nowNs);
    }
  }

  private void offerAll(long... sequences) {
    for (long sequence : sequences) {
      assertThat(offer(sequence)).as("%d", sequence).isEmpty();
    }
  }

  @AfterEach
  void close() {
    window.close();
  }

  @Test
  void shouldPutNeighboursInOrder() {
    offerAll(1, 0, 3, 2, 4);
    assertThat(inOrder).containsExactly(0L, 1L, 2L, 3L, 4L);
    assertThat(window.missing()).isZero();
    assertThat(window.waitingCount()).isZero();
  }

  @Test
  void shouldWaitForWhatIsMissingUntilItsPatienceEnds() {
    offerAll(0, 2, 3);
    nowNs = PATIENCE_NS - 1;
    window.lookAtTime(nowNs);
    assertThat(inOrder).containsExactly(0L);
    assertThat(window.waitingCount()).isEqualTo(2);
    nowNs = PATIENCE_NS;
    window.lookAtTime(nowNs);
    assertThat(inOrder).containsExactly(0L, 2L, 3L);
    assertThat(window.missing()).isEqualTo(1);
  }

  /** Those behind a second gap have waited as long. */
  @Test
  void shouldNotWaitOnceMoreForEachGap() {
    offerAll(1, 3);
    nowNs = 10;
    window.lookAtTime(PATIENCE_NS);
    assertThat(inOrder).containsExactly(1L, 3L);
  }

  @Test
  void shouldWaitItsTimeForEachGap() {
    offerAll(1);
    nowNs = 90;
    offerAll(3);
    window.lookAtTime(PATIENCE_NS);
    assertThat(inOrder).containsExactly(1L);
    window.lookAtTime(90 + PATIENCE_NS);
    assertThat(inOrder).containsExactly(1L, 3L);
  }

  @Test
  void shouldGiveUpWhatIsMissingWhenTheWindowIsFull() {
    offerAll(0, 2, 3, 4);
    assertThat(inOrder).containsExactly(0L);
    offerAll(5);
    assertThat(inOrder).containsExactly(0L, 2L, 3L, 4L, 5L);
    assertThat(window.missing()).isEqualTo(1);
  }

  @Test
  void shouldTellADuplicateFromOneThatIsLate() {
    offerAll(0, 2);
    assertThat(offer(0)).contains(Refusal.DUPLICATE);
    assertThat(offer(2)).contains(Refusal.DUPLICATE);
    window.lookAtTime(PATIENCE_NS);
    assertThat(offer(1)).contains(Refusal.LATE);
    assertThat(offer(2)).contains(Refusal.DUPLICATE);
    assertThat(inOrder).containsExactly(0L, 2L);
  }

  @Test
  void shouldTakeUpASenderThatHasSentForLong() {
    offerAll(5_000_000_000L);
    window.lookAtTime(PATIENCE_NS);
    offerAll(5_000_000_001L);
    assertThat(inOrder).containsExactly(5_000_000_000L, 5_000_000_001L);
    assertThat(window.missing()).as("nobody waited for what was sent before").isZero();
    offerAll(5_000_000_009L);
    assertThat(window.missing()).as("up to the window's beginning").isEqualTo(4);
    assertThat(offer(4_999_999_000L)).contains(Refusal.LATE);
    assertThat(offer(3)).contains(Refusal.LATE);
  }

  @Test
  void shouldCountFromTheBeginningWithANewRun() {
    offerAll(0, 1, 3);
    window.handOnAll();
    window.beginRun(0);
    assertThat(inOrder).containsExactly(0L, 1L, 3L);
    assertThat(window.missing()).isEqualTo(1);
    offerAll(1, 0);
    assertThat(inOrder).containsExactly(0L, 1L, 3L, 0L, 1L);
  }

  @Test
  void shouldKeepLongDatagramsBesideShortOnes() {
    List<Integer> counts = new ArrayList<>();
    try (ReorderWindow long64k =
        new ReorderWindow(
            SIZE, PATIENCE_NS, (memory, at) -> counts.add(DatagramHeader.count(memory, at)))) {
      for (MadeDatagram each :
          List.of(
              MadeDatagram.ofPackets(2, 0, 3),
              MadeDatagram.ofPackets(1, 0, 1021),
              MadeDatagram.ofPackets(3, 0, 300),
              MadeDatagram.ofPackets(0, 0, 1))) {
        try (each) {
          assertThat(long64k.offer(each.memory(), each.lengthBytes(), 0)).isEmpty();
        }
      }
    }
    assertThat(counts).containsExactly(1, 1021, 3, 300);
  }
}
