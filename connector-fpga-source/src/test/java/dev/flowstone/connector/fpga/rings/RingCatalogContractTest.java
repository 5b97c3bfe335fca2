// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.connector.fpga.TestTap;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.offheap.ring.RingReader.Poll;
import dev.flowstone.offheap.ring.RingStart;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What the source relies on, whatever holds the rings. */
abstract class RingCatalogContractTest {
  static final int SLOTS_LOG2 = 10;

  abstract RingCatalog catalog();

  abstract RingName name();

  private long stream = StreamNumber.UNKNOWN;

  /** The one ring's stream, as it was seen last. */
  long stream() {
    catalog().discover().forEach(seen -> stream = seen.stream());
    return stream;
  }

  /** Starts the one ring's producer (again, as after a crash); it told the time. */
  abstract void startProducer();

  /** Offers packets with consecutive numbers from 0 on, counted over all incarnations. */
  abstract void offer(int packets);

  abstract void endProducer();

  abstract void removeRing();

  private OpenRing open(RingStart start) {
    return catalog().open(stream(), start).orElseThrow();
  }

  private static List<Integer> numbers(int from, int to) {
    return IntStream.range(from, to).boxed().toList();
  }

  /** Reads until there is nothing. */
  private static List<Integer> drain(OpenRing ring) {
    List<Integer> numbers = new ArrayList<>();
    while (true) {
      switch (ring.poll(100)) {
        case PACKETS -> {
          RingRun run = ring.run();
          assertThat(run.count()).isBetween(1, 100);
          for (int i = 0; i < run.count(); i++) {
            long offsetBytes = run.offsetBytes() + i * PacketRecordLayout.SIZE_BYTES;
            numbers.add(TestTap.number(run.slots(), offsetBytes));
          }
        }
        case CLOCK ->
            assertThat(ring.progress().time().baseNs()).isGreaterThanOrEqualTo(TestTap.START_NS);
        case NOTHING, END -> {
          return numbers;
        }
      }
    }
  }

  @Test
  void shouldHaveNoRingBeforeItsProducerStarts() {
    assertThat(catalog().discover()).isEmpty();
    assertThat(catalog().open(stream(), RingStart.OLDEST)).isEmpty();
  }

  @Test
  void shouldDiscoverARingAndItsNewIncarnation() {
    startProducer();
    RingSighting first = catalog().discover().getFirst();
    assertThat(first.name()).isEqualTo(name());
    assertThat(first.ringCount()).isEqualTo(1);
    startProducer();
    assertThat(catalog().discover()).hasSize(1);
    assertThat(catalog().discover().getFirst().incarnation()).isNotEqualTo(first.incarnation());
  }

  @Test
  void shouldHandOutPacketsInOrder() {
    startProducer();
    offer(700);
    try (OpenRing ring = open(RingStart.OLDEST)) {
      assertThat(drain(ring)).isEqualTo(numbers(0, 700));
      assertThat(ring.backlogSlots()).isZero();
      assertThat(ring.takeUnreportedLoss().inRing()).isZero();
    }
  }

  @Test
  void shouldDropAndCountWhileHeldAndGoOnWhenReleased() {
    startProducer();
    try (OpenRing ring = open(RingStart.OLDEST)) {
      offer(2000);
      List<Integer> kept = drain(ring);
      assertThat(kept).hasSizeBetween(1000, 1023).isEqualTo(numbers(0, kept.size()));
      assertThat(ring.untoldPackets()).isEqualTo(2000 - kept.size());
      ring.release(ring.progress().position());
      offer(100);
      assertThat(ring.untoldPackets()).isZero();
      assertThat(drain(ring)).isEqualTo(numbers(2000, 2100));
      assertThat(ring.takeUnreportedLoss().inRing()).isEqualTo(2000 - kept.size());
      assertThat(ring.takeUnreportedLoss().inRing()).isZero();
      assertThat(ring.progress().books().lost().inRing()).isEqualTo(2000 - kept.size());
    }
  }

  @Test
  void shouldGoOnFromProgress() {
    startProducer();
    offer(500);
    OpenRing first = open(RingStart.OLDEST);
    while (first.poll(100) != Poll.PACKETS) {
      first.takeUnreportedLoss().inRing();
    }
    RingStart resume = new RingStart.Resume(first.progress());
    assertThat(drain(first)).isEqualTo(numbers(100, 500));
    first.close();
    try (OpenRing second = open(resume)) {
      assertThat(drain(second)).isEqualTo(numbers(100, 500));
      assertThat(second.progress().books().lost().inRing()).isZero();
    }
  }

  @Test
  void shouldCountWhatIsGoneWhenResumedBehindTheReleasedPosition() {
    startProducer();
    OpenRing first = open(RingStart.OLDEST);
    offer(100);
    drain(first);
    RingStart old = new RingStart.Resume(first.progress());
    int read = 100;
    for (int lap = 0; lap < 4; lap++) {
      offer(500);
      read += drain(first).size();
      first.release(first.progress().position());
    }
    first.close();
    try (OpenRing second = open(old)) {
      offer(1);
      int again = drain(second).size();
      second.release(second.progress().position());
      endProducer();
      again += drain(second).size();
      assertThat(second.progress().books().lost().inRing() + again).isEqualTo(read - 100 + 1);
    }
  }

  @Test
  void shouldTellWhatWasThereBeforeItJoinedApartFromLosses() {
    startProducer();
    for (int lap = 0; lap < 6; lap++) {
      offer(500);
    }
    try (OpenRing ring = open(RingStart.JOIN)) {
      drain(ring);
      ring.release(ring.progress().position());
      offer(100);
      endProducer();
      assertThat(drain(ring)).as("nothing told their time").isEmpty();
      assertThat(ring.packetsBeforeStart()).isEqualTo(3_000);
      assertThat(ring.takeUnreportedLoss()).isEqualTo(PacketLoss.inRing(100));
    }
  }

  @Test
  void shouldMissNothingOfARingThatItJoinedBeforeTheFirstWasWrittenOver() {
    startProducer();
    offer(500);
    try (OpenRing ring = open(RingStart.JOIN)) {
      assertThat(drain(ring)).isEqualTo(numbers(0, 500));
      offer(2_000);
      endProducer();
      int read = 500 + drain(ring).size();
      assertThat(ring.packetsBeforeStart()).isZero();
      assertThat(ring.takeUnreportedLoss().inRing() + read).isEqualTo(2_500);
    }
  }

  @Test
  void shouldCountWhatItMissedOfAFormerIncarnation() {
    startProducer();
    offer(300);
    OpenRing first = open(RingStart.OLDEST);
    assertThat(drain(first)).hasSize(300);
    RingStart resume = new RingStart.Resume(first.progress());
    offer(50);
    assertThat(first.isReplaced()).isFalse();
    startProducer();
    assertThat(first.isReplaced()).isTrue();
    offer(10);
    try (OpenRing second = open(resume)) {
      assertThat(drain(second)).isEqualTo(numbers(350, 360));
      assertThat(second.takeUnreportedLoss().inRing()).isEqualTo(50);
      assertThat(second.identity().incarnation()).isNotEqualTo(first.identity().incarnation());
    }
    first.close();
  }

  @Test
  void shouldSayWhenNobodyKnowsWhatItMissedOfAFormerIncarnation() {
    startProducer();
    OpenRing first = open(RingStart.OLDEST);
    RingStart resume = new RingStart.Resume(first.progress());
    for (int restart = 0; restart < RingFileHeaderLayout.LINEAGE_ENTRIES; restart++) {
      startProducer();
    }
    try (OpenRing remembered = open(resume)) {
      assertThat(remembered.isMissedUnknown()).isFalse();
    }
    startProducer();
    try (OpenRing forgotten = open(resume)) {
      assertThat(forgotten.isMissedUnknown()).isTrue();
    }
    first.close();
  }

  @Test
  void shouldReadAReplacedIncarnationToItsEnd() {
    startProducer();
    offer(10);
    try (OpenRing first = open(RingStart.OLDEST)) {
      startProducer();
      assertThat(drain(first)).isEqualTo(numbers(0, 10));
    }
  }

  @Test
  void shouldFenceAFormerReader() {
    startProducer();
    offer(10);
    OpenRing former = open(RingStart.OLDEST);
    drain(former);
    try (OpenRing latter = open(RingStart.OLDEST)) {
      assertThatThrownBy(() -> former.release(former.progress().position()))
          .isInstanceOf(RingFileException.class)
          .hasMessageContaining("another reader");
      latter.release(0);
    }
    former.close();
  }

  @Test
  void shouldSayEndOnlyWhenAllIsRead() {
    startProducer();
    offer(10);
    try (OpenRing ring = open(RingStart.OLDEST)) {
      endProducer();
      assertThat(ring.poll(100)).isEqualTo(Poll.CLOCK);
      assertThat(ring.poll(100)).isEqualTo(Poll.PACKETS);
      assertThat(ring.poll(100)).isEqualTo(Poll.CLOCK);
      assertThat(ring.poll(100)).isEqualTo(Poll.END);
    }
  }

  @Test
  void shouldNoticeThatARingIsGone() {
    startProducer();
    offer(10);
    try (OpenRing ring = open(RingStart.OLDEST)) {
      removeRing();
      assertThat(ring.isReplaced()).isTrue();
      assertThat(catalog().open(stream(), RingStart.OLDEST)).isEmpty();
      assertThat(drain(ring)).hasSize(10);
    }
  }
}
