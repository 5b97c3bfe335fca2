// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.connector.fpga.rings.RingRun;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.ObservingReader;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingReader;
import dev.flowstone.offheap.ring.RingReader.Poll;
import dev.flowstone.offheap.ring.RingStart;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class LappingRingTest {
  private static final int PACKETS = 20_000;
  private static final int LAPS = 3;

  @Test
  void shouldReadEveryPacketOnceInEachLap() throws Exception {
    try (FilledRings rings = FilledRings.with(Mix.BACKBONE, PACKETS)) {
      for (Path path : rings.files()) {
        readLaps(path);
      }
    }
  }

  private static RingReader gating(RingFile file) {
    return new GatingReader(file, "gating", RingStart.OLDEST);
  }

  private static RingReader observing(RingFile file) {
    return new ObservingReader(file, "observing", RingStart.OLDEST);
  }

  /** They differ in where a run lies, not in what it has. */
  @Test
  void shouldCopyWhatItOnlyObserves() throws Exception {
    try (FilledRings rings = FilledRings.with(Mix.BACKBONE, PACKETS)) {
      Path path = rings.files().getFirst();
      try (LappingRing gated =
              new LappingRing(RingFile.open(path), LappingRingTest::gating, new Laps());
          LappingRing observed =
              new LappingRing(RingFile.open(path), LappingRingTest::observing, new Laps())) {
        for (int i = 0; i < LAPS * PACKETS / 100; i++) {
          Poll found = gated.poll(100);
          assertThat(observed.poll(100)).isEqualTo(found);
          if (found == Poll.PACKETS) {
            assertThat(bytes(observed.run())).isEqualTo(bytes(gated.run()));
            assertThat(observed.run().offsetBytes()).isZero();
            gated.release(gated.run().position());
          }
        }
      }
    }
  }

  private static ByteBuffer bytes(RingRun run) {
    return run.slots()
        .asSlice(run.offsetBytes(), (long) run.count() * RingFile.SLOT_BYTES)
        .asByteBuffer();
  }

  private static void readLaps(Path path) {
    RingFile file = RingFile.open(path);
    long packetsPerLap = file.counters().writtenPackets();
    try (LappingRing ring = new LappingRing(file, LappingRingTest::gating, new Laps())) {
      long packets = 0;
      long nextPosition = 0;
      long latestBaseNs = Long.MIN_VALUE;
      while (packets < LAPS * packetsPerLap) {
        Poll found = ring.poll(1000);
        assertThat(found).isIn(Poll.PACKETS, Poll.CLOCK);
        assertThat(ring.progress().time().baseNs()).isGreaterThanOrEqualTo(latestBaseNs);
        latestBaseNs = ring.progress().time().baseNs();
        if (found == Poll.PACKETS) {
          RingRun run = ring.run();
          assertThat(run.timeBaseNs()).isEqualTo(latestBaseNs);
          assertThat(run.position()).isGreaterThanOrEqualTo(nextPosition);
          assertThat(run.offsetBytes())
              .isEqualTo(run.position() % file.identity().slotCount() * RingFile.SLOT_BYTES);
          nextPosition = run.position() + run.count();
          packets += run.count();
          ring.release(nextPosition);
        }
      }
      assertThat(packets).isEqualTo(LAPS * packetsPerLap);
      assertThat(ring.progress().books().lost().isNone()).isTrue();
      assertThat(ring.progress().position()).isEqualTo(nextPosition);
    }
  }

  /** Else operators would keep what is open between the ring that is behind and the others. */
  @Test
  void shouldBeginNoLapBeforeAllRingsHaveEndedTheirs() throws Exception {
    try (FilledRings rings = FilledRings.with(Mix.BACKBONE, PACKETS)) {
      Laps laps = new Laps();
      try (LappingRing one =
              new LappingRing(
                  RingFile.open(rings.files().getFirst()), LappingRingTest::gating, laps);
          LappingRing other =
              new LappingRing(
                  RingFile.open(rings.files().getLast()), LappingRingTest::gating, laps)) {
        long latestNs = readLap(one);
        assertThat(one.poll(1000)).isEqualTo(Poll.NOTHING);
        latestNs = Math.max(latestNs, readLap(other));

        assertThat(one.poll(1000)).isEqualTo(Poll.CLOCK);
        assertThat(one.time().baseNs()).isGreaterThan(latestNs);
        assertThat(other.time().baseNs()).isGreaterThan(latestNs);
        assertThat(laps.lap()).isEqualTo(1);
      }
    }
  }

  /** Up to where it waits, or to the first record of the next lap; its latest packet's time. */
  private static long readLap(LappingRing ring) {
    long latestNs = Long.MIN_VALUE;
    for (Poll found = ring.poll(1000);
        found != Poll.NOTHING && ring.position() < ring.identity().slotCount();
        found = ring.poll(1000)) {
      if (found == Poll.PACKETS) {
        latestNs = Math.max(latestNs, timeOfLast(ring.run()));
      }
    }
    return latestNs;
  }

  private static long timeOfLast(RingRun run) {
    long last = run.offsetBytes() + (run.count() - 1L) * RingFile.SLOT_BYTES;
    return PacketRecord.timeNs(PacketRecord.timeLow(run.slots(), last), run.timeBaseNs());
  }
}
