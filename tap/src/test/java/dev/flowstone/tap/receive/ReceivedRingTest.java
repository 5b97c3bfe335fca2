// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingLineage;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.tap.datagram.MadeDatagram;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReceivedRingTest {
  private static final ReceiveOptions OPTIONS = new ReceiveOptions(8, Duration.ZERO);

  @TempDir Path folder;

  private RingSetWriter make() {
    return new TestRings(folder).make(1, MadeDatagram.KEY_GROUPS, RingClock.WALL);
  }

  private static void offer(ReceivedRing ring, MadeDatagram datagram) {
    try (datagram) {
      assertThat(ring.offer(datagram.memory(), datagram.lengthBytes(), 0)).isEmpty();
    }
  }

  /** Else one that is killed there would tell the loss once more when it is started again. */
  @Test
  void shouldHaveNotedALossBeforeItWritesThePacketsThatFollow() {
    RingSetWriter writer = make();
    RecordRewriter rewriter = new RecordRewriter(writer);
    try (writer;
        ReceivedBooks books =
            ReceivedBooks.create(folder, writer, Optional.empty(), List.of(Optional.empty()));
        ReceivedRing ring = new ReceivedRing(0, writer, rewriter, books, OPTIONS, _ -> {})) {
      offer(ring, MadeDatagram.ofPackets(0, 0, 5));
      rewriter.close();
      assertThatThrownBy(() -> offer(ring, MadeDatagram.ofPackets(1, 15, 5)))
          .as("it comes no further")
          .isInstanceOf(IllegalStateException.class);
    }
    try (RingSetWriter next = make()) {
      RingLineage lineage = next.ringFile(0).lineage();
      assertThat(lineage.ancestors().getFirst().offeredPackets()).isEqualTo(5);
      assertThat(lineage.ancestors().getFirst().lostBeforeTap()).isEqualTo(10);
      assertThat(FormerBooks.read(folder).place(0, lineage).map(SenderPlace::packets))
          .contains(15L);
    }
  }
}
