// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.PacketLoss;
import org.junit.jupiter.api.Test;

/** Losses before the tap: a ring offers what came so far, and tells of what did not. */
class PacketAccountTest {
  private final PacketAccount account = new PacketAccount(PacketBooks.FROM_THE_FIRST);

  private static RingCounters counters(long offered, long lostBeforeTap, long recorded) {
    return new RingCounters(offered, offered, 0, 0, 0, 0, 0, lostBeforeTap, recorded, 0, 0);
  }

  @Test
  void shouldNotExplainALossBeforeTheTapThatNoRecordTold() {
    account.read(10);
    account.counted(10, 3);
    assertThat(account.takeUnreported()).isEqualTo(new PacketLoss(0, 3));
    assertThat(account.unexplainedPackets()).isEqualTo(3);
  }

  @Test
  void shouldExplainALossBeforeTheTapThatTheLastRecordHadNoRoomFor() {
    account.read(10);
    account.lost(0, 4);
    account.ended(counters(10, 7, 4));
    account.ended(counters(10, 7, 4));
    assertThat(account.takeUnreported()).isEqualTo(new PacketLoss(0, 7));
    assertThat(account.unexplainedPackets()).isZero();
  }

  @Test
  void shouldGoOnWithWhatFormerIncarnationsLostBeforeTheTap() {
    account.lost(0, 4);
    PacketAccount next = PacketAccount.anew(account.books(), new RingLineage.Missed(2, 5));
    assertThat(next.takeUnreported()).isEqualTo(new PacketLoss(2, 9));
    next.counted(0, 0);
    assertThat(next.unexplainedPackets()).isZero();
  }
}
