// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.tap.datagram.DatagramHeader;
import dev.flowstone.tap.datagram.MadeDatagram;
import dev.flowstone.tap.datagram.Refusal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Whatever comes in whatever order: each once, in order, and all else is refused with its reason.
 */
class ReorderWindowPropertyTest {
  private static final int SENT = 300;
  private static final int SIZE = 4;
  private static final long PATIENCE_NS = 100;

  @Property(tries = 300)
  void shouldHandOnEachOnceAndInOrder(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 9) int mostOvertaking) {
    Random random = new Random(seed);
    List<Long> arriving = arriving(random, mostOvertaking);
    List<Long> handedOn = new ArrayList<>();
    Set<Long> accepted = new HashSet<>();
    long refused = 0;
    long nowNs = 0;
    try (MadeDatagram datagram = MadeDatagram.hello(0);
        ReorderWindow window =
            new ReorderWindow(
                SIZE,
                PATIENCE_NS,
                (memory, at) -> handedOn.add(DatagramHeader.sequence(memory, at)))) {
      for (long sequence : arriving) {
        nowNs += random.nextInt(40);
        window.lookAtTime(nowNs);
        datagram.sequence(sequence);
        Optional<Refusal> refusal = window.offer(datagram.memory(), datagram.lengthBytes(), nowNs);
        if (refusal.isEmpty()) {
          if (!accepted.add(sequence)) {
            throw new AssertionError(sequence + " was accepted twice");
          }
        } else {
          refused++;
          Refusal expected = accepted.contains(sequence) ? Refusal.DUPLICATE : Refusal.LATE;
          if (refusal.get() != expected) {
            throw new AssertionError(
                "%d: expected %s, got %s".formatted(sequence, expected, refusal.get()));
          }
        }
      }
      window.handOnAll();
      assertThat(window.waitingCount()).isZero();
      assertThat(window.missing())
          .as("between those handed on")
          .isEqualTo(handedOn.getLast() - handedOn.getFirst() + 1 - handedOn.size());
    }
    assertThat(handedOn).isSorted().doesNotHaveDuplicates().hasSameElementsAs(accepted);
    assertThat(arriving).hasSize((int) (handedOn.size() + refused));
  }

  private static List<Long> arriving(Random random, int mostOvertaking) {
    List<Long> arriving = new ArrayList<>();
    for (long sequence = 0; sequence < SENT; sequence++) {
      int copies = random.nextInt(10) == 0 ? 2 : random.nextInt(8) == 0 ? 0 : 1;
      for (int copy = 0; copy < copies; copy++) {
        int overtaken = Math.min(arriving.size(), random.nextInt(mostOvertaking + 1));
        arriving.add(arriving.size() - overtaken, sequence);
      }
    }
    return arriving;
  }
}
