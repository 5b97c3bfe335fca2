// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StreamNumberTest {
  private final Random random = new Random(7);

  @Test
  void shouldNameTapAndRing() {
    long tap = StreamNumber.newTap(random);
    long stream = StreamNumber.of(tap, 255);
    assertThat(StreamNumber.tap(stream)).isEqualTo(tap);
    assertThat(StreamNumber.ring(stream)).isEqualTo(255);
    assertThat(stream).isPositive();
    assertThat(StreamNumber.text(stream)).hasSize(16);
  }

  @Test
  void shouldSpreadTheRingsOfOneTapEvenly() {
    long tap = StreamNumber.newTap(random);
    int[] parts = new int[8];
    IntStream.range(0, 64)
        .forEach(ring -> parts[StreamNumber.part(StreamNumber.of(tap, ring), 8)]++);
    assertThat(parts).containsOnly(8);
  }

  /** Also those that have one ring each: for powers of two, too. */
  @Test
  void shouldSpreadManyTaps() {
    int[] parts = new int[16];
    for (int i = 0; i < 1600; i++) {
      parts[StreamNumber.part(StreamNumber.of(StreamNumber.newTap(random), 0), parts.length)]++;
    }
    for (int part : parts) {
      assertThat(part).isBetween(50, 150);
    }
  }

  /** A message may come from anywhere. */
  @Test
  void shouldHaveAPartForAnyNumber() {
    assertThat(StreamNumber.part(-1, 7)).isBetween(0, 6);
    assertThat(StreamNumber.part(Long.MIN_VALUE, 7)).isBetween(0, 6);
    assertThat(StreamNumber.part(StreamNumber.UNKNOWN, 7)).isZero();
  }
}
