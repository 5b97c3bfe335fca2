// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.abi.LossRecordLayout;
import org.junit.jupiter.api.Test;

/** A ring becomes full in the middle of a batch, and stays full over several. */
class FullRingTest extends OneTap {
  private static final int SLOTS = 1 << SLOTS_LOG2;
  private static final long GAP_NS = 1000;

  @Test
  void shouldTellWhenTheFirstAndTheLastPacketOfALossCame() {
    try (RingFile file = open();
        GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST)) {
      batch.fill(3 * SLOTS, START_NS, GAP_NS).writeTo(writer);
      long written = file.counters().writtenPackets();
      batch.fill(SLOTS, START_NS + SECOND_NS / 2, GAP_NS).writeTo(writer);
      batch.fill(2, START_NS + 9 * SECOND_NS / 10, GAP_NS).writeTo(writer);
      long dropped = 4 * SLOTS + 2 - written;
      assertThat(written).isBetween(SLOTS / 2L, (long) SLOTS);
      assertThat(file.counters().droppedPackets()).isEqualTo(dropped);

      assertThat(drain(reader)).isEqualTo(numbers(0, (int) written));
      reader.release(reader.position());
      long loss = file.slotOffset(reader.position());
      batch.fill(1, START_NS + 3 * SECOND_NS, GAP_NS).writeTo(writer);

      assertThat(lossWord(file, loss, LossRecordLayout.LOST_PACKETS_OFFSET)).isEqualTo(dropped);
      assertThat(lossWord(file, loss, LossRecordLayout.FIRST_LOST_NS_OFFSET))
          .isEqualTo(START_NS + written * GAP_NS);
      assertThat(lossWord(file, loss, LossRecordLayout.LAST_LOST_NS_OFFSET))
          .isEqualTo(START_NS + 9 * SECOND_NS / 10 + GAP_NS);
      assertThat(drain(reader)).isEqualTo(numbers(4 * SLOTS + 2, 4 * SLOTS + 3));
      assertThat(reader.lost().inRing()).isEqualTo(dropped);
    }
  }

  private static long lossWord(RingFile file, long offset, long field) {
    return file.slots().get(RingHeader.LONG, offset + field);
  }
}
