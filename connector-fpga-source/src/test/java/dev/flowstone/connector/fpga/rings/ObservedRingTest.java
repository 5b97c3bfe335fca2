// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.connector.fpga.TestTap;
import dev.flowstone.connector.fpga.rings.FileRingCatalog.Unusable;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RingContent;
import dev.flowstone.model.abi.TimeRecordLayout;
import dev.flowstone.offheap.ring.ReaderName;
import dev.flowstone.offheap.ring.RingReader;
import dev.flowstone.offheap.ring.RingReader.Poll;
import dev.flowstone.offheap.ring.RingStart;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A tap that waits for nobody, and one who reads beside it. */
@Timeout(60)
class ObservedRingTest {
  private static final int SLOTS_LOG2 = 12;
  private static final int BLOCK = 1_024;
  private static final int SEVERAL_LAPS = 20_000;
  private static final long RECORD_BYTES = PacketRecordLayout.SIZE_BYTES;

  @TempDir private Path folder;
  private TestTap tap;

  @BeforeEach
  void startTap() {
    tap = new TestTap(folder, 1, SLOTS_LOG2);
    tap.heartbeat();
  }

  @AfterEach
  void stopTap() {
    tap.close();
  }

  private OpenRing open(RingStart start) {
    LaneUse lane = new LaneUse(ReaderName.of("observer"), RingReader.USUAL_EXPIRY, false);
    return new FileRingCatalog(
            List.of(folder.toString()), RingContent.PACKET_RECORDS, lane, "here", Unusable.REFUSED)
        .open(tap.stream(0), start)
        .orElseThrow();
  }

  @Test
  void shouldNeverMakeTheTapDrop() {
    try (OpenRing ring = open(RingStart.OLDEST)) {
      tap.write(SEVERAL_LAPS);
      tap.sleep(TimeRecordLayout.INTERVAL_NS);
      tap.write(BLOCK);
      assertThat(tap.dropped()).isZero();
      long read = drain(ring);
      tap.end();
      read += drain(ring);
      assertThat(read).isPositive();
      assertThat(ring.takeUnreportedLoss().inRing()).isEqualTo(tap.offered() - read);
      assertThat(ring.unexplainedPackets()).isZero();
    }
  }

  /** Packets that it reads until there is nothing. */
  private static long drain(OpenRing ring) {
    long read = 0;
    for (Poll found = ring.poll(BLOCK);
        found == Poll.PACKETS || found == Poll.CLOCK;
        found = ring.poll(BLOCK)) {
      read += found == Poll.PACKETS ? ring.run().count() : 0;
    }
    return read;
  }

  @Test
  void shouldHandOutACopyThatStandsUntilTheNextPoll() {
    tap.write(2 * BLOCK);
    try (OpenRing ring = open(RingStart.OLDEST)) {
      assertThat(ring.poll(BLOCK)).isEqualTo(Poll.CLOCK);
      assertThat(ring.poll(BLOCK)).isEqualTo(Poll.PACKETS);
      RingRun first = ring.run();
      tap.write(SEVERAL_LAPS);
      assertThat(first.loan().stands(first.position())).isTrue();
      requireInOrder(first);
      // A clock record comes with it, from which on packets can be dated again.
      tap.sleep(TimeRecordLayout.INTERVAL_NS);
      tap.write(BLOCK);
      while (ring.poll(BLOCK) != Poll.PACKETS) {
        assertThat(first.loan().stands(first.position())).isTrue();
      }
      assertThat(first.loan().stands(first.position())).isFalse();
      assertThat(ring.run().loan().stands(ring.run().position())).isTrue();
    }
  }

  /**
   * The tap writes as fast as it can, over what is being copied, too; on a busy machine until
   * something was read.
   */
  @Test
  void shouldHandOutNothingThatWasWrittenOverWhileItWasCopied() throws Exception {
    AtomicLong read = new AtomicLong();
    CountDownLatch reading = new CountDownLatch(1);
    Thread writing =
        Thread.ofPlatform()
            .start(
                () -> {
                  awaitQuietly(reading);
                  for (int lap = 0; lap < 2_000 || read.get() == 0; lap++) {
                    tap.write(BLOCK);
                    tap.heartbeat();
                  }
                  tap.end();
                });
    try (OpenRing ring = open(RingStart.OLDEST)) {
      reading.countDown();
      for (Poll found = ring.poll(BLOCK); found != Poll.END; found = ring.poll(BLOCK)) {
        if (found == Poll.PACKETS) {
          requireInOrder(ring.run());
          read.addAndGet(ring.run().count());
        }
      }
      writing.join();
      long lost = ring.takeUnreportedLoss().inRing();
      assertThat(lost).isPositive();
      assertThat(read).hasPositiveValue();
      assertThat(read.get() + lost).isEqualTo(tap.offered());
      assertThat(tap.dropped()).isZero();
      assertThat(ring.unexplainedPackets()).isZero();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Flow by flow, as the tap writes them. */
  private static void requireInOrder(RingRun run) {
    int first = TestTap.number(run.slots(), run.offsetBytes()) * TestTap.FLOWS;
    first += TestTap.flow(run.slots(), run.offsetBytes());
    for (int i = 0; i < run.count(); i++) {
      long offsetBytes = run.offsetBytes() + i * RECORD_BYTES;
      int found = TestTap.number(run.slots(), offsetBytes) * TestTap.FLOWS;
      found += TestTap.flow(run.slots(), offsetBytes);
      assertThat(found).isEqualTo(first + i);
    }
  }

  /** No successor needs it: seven more would not find room else. */
  @Test
  void shouldLeaveItsLaneToOthers() {
    for (int i = 0; i < 20; i++) {
      LaneUse lane = new LaneUse(ReaderName.of("query-" + i), RingReader.USUAL_EXPIRY, false);
      new FileRingCatalog(
              List.of(folder.toString()),
              RingContent.PACKET_RECORDS,
              lane,
              "here",
              Unusable.REFUSED)
          .open(tap.stream(0), RingStart.OLDEST)
          .orElseThrow()
          .close();
    }
  }

  @Test
  void shouldCountWhatItMissedUntilItResumed() {
    OpenRing before = open(RingStart.OLDEST);
    tap.write(BLOCK);
    long read = drain(before);
    RingStart resume = new RingStart.Resume(before.progress());
    before.close();
    tap.write(SEVERAL_LAPS);
    tap.end();
    try (OpenRing after = open(resume)) {
      read += drain(after);
      assertThat(read + after.progress().books().lost().inRing()).isEqualTo(tap.offered());
      assertThat(tap.dropped()).isZero();
    }
  }
}
