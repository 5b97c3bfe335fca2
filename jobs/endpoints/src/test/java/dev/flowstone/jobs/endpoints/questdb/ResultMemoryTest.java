// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ResultMemoryTest {
  private static final long LIMIT_BYTES = 1000;

  private static ResultMemory memory(int owners) {
    ResultMemory memory = new ResultMemory(LIMIT_BYTES);
    for (int owner = 0; owner < owners; owner++) {
      memory.addOwner();
    }
    return memory;
  }

  @Test
  void givesHalfToOneOwnerAndAnEqualShareToEachOther() {
    ResultMemory memory = memory(5);
    assertThat(memory.tryHold(0, 500)).isTrue();
    assertThat(memory.tryHold(500, 1)).as("more than half").isFalse();
    assertThat(memory.tryHold(0, 99)).isTrue();
    assertThat(memory.tryHold(99, 1)).as("the share of another").isTrue();
    assertThat(memory.tryHold(100, 1)).as("more than its share").isFalse();
    memory.removeOwner(500);
    assertThat(memory.tryHold(100, 400)).as("half again").isTrue();
  }

  @Test
  void neverHoldsMoreThanItsLimit() {
    Random random = new Random(39);
    int owners = 6;
    ResultMemory memory = memory(owners);
    long[] heldBytes = new long[owners];
    long mostBytes = 0;
    for (int step = 0; step < 10_000; step++) {
      int owner = random.nextInt(owners);
      int bytes = 1 + random.nextInt(20);
      if (memory.tryHold(heldBytes[owner], bytes)) {
        heldBytes[owner] += bytes;
      } else if (random.nextInt(100) == 0) {
        memory.release(heldBytes[owner]);
        heldBytes[owner] = 0;
      }
      mostBytes = Math.max(mostBytes, memory.heldBytes());
    }
    assertThat(mostBytes).isBetween(LIMIT_BYTES / 2 + 1, LIMIT_BYTES);
  }

  @Test
  void hasRoomForALineOfAnOwnerThatHoldsNothing() {
    ResultMemory memory = memory(100);
    assertThat(memory.tryHold(0, 500)).isTrue();
    assertThat(memory.tryHold(0, 6)).as("more than a share of 5 bytes").isTrue();
    assertThat(memory.tryHold(6, 1)).isFalse();
  }
}
