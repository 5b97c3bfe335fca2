// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingReader;
import dev.flowstone.offheap.ring.RingReader.Poll;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.RingStart;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.raw.SourceCounters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class TapLoopTest {
  private static final long SECOND_NS = 1_000_000_000;
  private static final int FRAME_BYTES = 64;

  /** What a batch takes, and a ring of 1,024 slots does not. */
  private static final int FULL_BATCH = RawPacketBatch.DEFAULT_CAPACITY;

  @TempDir Path folder;
  private long nowNs;

  /** One batch of empty frames with these times, then the end. */
  private static class FewPackets implements PacketSource {
    private final Arena arena = Arena.ofShared();
    private final long[] timesNs;
    private boolean given;

    FewPackets(long... timesNs) {
      this.timesNs = timesNs;
    }

    @Override
    public int fill(RawPacketBatch batch) {
      if (given) {
        return END;
      }
      given = true;
      MemorySegment frame = arena.allocate(FRAME_BYTES);
      batch.begin(frame);
      for (long timeNs : timesNs) {
        batch.append(0, timeNs, FRAME_BYTES, FRAME_BYTES, 1, 0);
      }
      return batch.count();
    }

    @Override
    public int clock() {
      return RingClock.CAPTURE;
    }

    @Override
    public SourceCounters counters() {
      return new SourceCounters(timesNs.length, 0, 0, 0, 0, Map.of(), List.of());
    }

    @Override
    public double progress() {
      return Double.NaN;
    }

    @Override
    public void close() {
      arena.close();
    }
  }

  private RingSetWriter rings(int count, WhenFull whenFull) {
    return RingSetWriter.create(
        new RingDirectory(folder),
        new RingSpecification(count, 10, RingClock.CAPTURE, 128, "test", Optional.empty()),
        whenFull);
  }

  private RingFile openRing(int ring) {
    return RingFile.open(new RingDirectory(folder).ringFile(ring));
  }

  /** A TIME record is a promise that watermarks are made of. */
  @Test
  void shouldNotTellATimeThatPacketsHaveNotReached() {
    long[] timesNs = {0, 4 * SECOND_NS, 4 * SECOND_NS + 1, 6 * SECOND_NS};
    Pacer pacer = Pacer.recorded(1, () -> nowNs, sleepNs -> nowNs += sleepNs);
    try (RingSetWriter rings = rings(1, WhenFull.DROP);
        FewPackets source = new FewPackets(timesNs)) {
      new TapLoop(source, rings, ParserProfile.SOFTWARE, pacer).run();
    }
    assertThat(nowNs).as("paced").isGreaterThanOrEqualTo(6 * SECOND_NS);
    try (RingFile file = openRing(0);
        GatingReader reader = new GatingReader(file, "test", RingStart.OLDEST)) {
      List<Long> seenNs = new ArrayList<>();
      long toldNs = Long.MIN_VALUE;
      for (Poll found = reader.poll(1); found != Poll.END; found = reader.poll(1)) {
        if (found == Poll.PACKETS) {
          long timeNs = timeNs(file, reader);
          assertThat(timeNs).as("packet after the time was told").isGreaterThanOrEqualTo(toldNs);
          seenNs.add(timeNs);
        }
        toldNs = Math.max(toldNs, reader.time().baseNs());
      }
      assertThat(seenNs).containsExactlyElementsOf(Arrays.stream(timesNs).boxed().toList());
    }
  }

  /** Its readers' watermarks would stand still otherwise. */
  @Test
  void shouldTellAQuietRingTheTimeOfItsNeighbours() {
    Pacer pacer = Pacer.recorded(1, () -> nowNs, sleepNs -> nowNs += sleepNs);
    try (RingSetWriter rings = rings(2, WhenFull.DROP);
        FewPackets source = new FewPackets(0, 4 * SECOND_NS, 6 * SECOND_NS)) {
      new TapLoop(source, rings, ParserProfile.SOFTWARE, pacer).run();
    }
    List<Long> packets = new ArrayList<>();
    List<Long> latestNs = new ArrayList<>();
    for (int ring = 0; ring < 2; ring++) {
      try (RingFile file = openRing(ring);
          GatingReader reader = new GatingReader(file, "test", RingStart.OLDEST)) {
        packets.add(file.counters().writtenPackets());
        while (reader.poll(1) != Poll.END) {
          // To the last time it was told.
        }
        latestNs.add(reader.time().baseNs());
      }
    }
    assertThat(packets).as("one flow, one ring").containsExactlyInAnyOrder(0L, 3L);
    assertThat(latestNs).allSatisfy(ns -> assertThat(ns).isEqualTo(6 * SECOND_NS));
  }

  /** The reader died, and the tap was told to wait: at the end the books close all the same. */
  @Test
  @Timeout(value = 30, unit = TimeUnit.SECONDS)
  void shouldComeToItsEndThoughNobodyMakesRoom() {
    long[] timesNs = new long[FULL_BATCH];
    try (RingSetWriter rings = rings(1, WhenFull.WAIT);
        RingFile file = openRing(0);
        GatingReader dead = new GatingReader(file, "dead", RingStart.OLDEST);
        FewPackets source = new FewPackets(timesNs)) {
      TapLoop loop = new TapLoop(source, rings, ParserProfile.SOFTWARE, Pacer.unpaced());
      Thread.ofPlatform().daemon().start(() -> stopOnceItRuns(loop));
      loop.run();
      assertThat(dead.holdsLane()).isTrue();
      RingCounters counters = file.counters();
      assertThat(counters.droppedPackets()).isPositive();
      assertThat(counters.writtenPackets() + counters.droppedPackets()).isEqualTo(FULL_BATCH);
      assertThat(file.isEnded()).isTrue();
    }
  }

  /** What the kernel has already handed over was on the wire: it must not vanish uncounted. */
  @Test
  @Timeout(value = 30, unit = TimeUnit.SECONDS)
  void shouldOfferWhatTheSourceHadCaughtWhenItIsStopped() {
    try (RingSetWriter rings = rings(1, WhenFull.DROP);
        FewPackets rest = new FewPackets(1, 2, 3)) {
      CatchingSource source = new CatchingSource(rest);
      TapLoop loop = new TapLoop(source, rings, ParserProfile.SOFTWARE, Pacer.unpaced());
      source.stop = loop::stop;
      loop.run();
      assertThat(loop.offeredPackets()).isEqualTo(3);
      assertThat(loop.parsedPackets()).isEqualTo(3);
    }
  }

  /** Idle until it is told to catch no more; then it gives what it had. */
  private static final class CatchingSource implements PacketSource {
    private final PacketSource rest;
    private boolean stopped;
    private Runnable stop = () -> {};

    CatchingSource(PacketSource rest) {
      this.rest = rest;
    }

    @Override
    public int fill(RawPacketBatch batch) {
      if (stopped) {
        return rest.fill(batch);
      }
      batch.clear();
      stop.run();
      return 0;
    }

    @Override
    public boolean stopCatching() {
      stopped = true;
      return true;
    }

    @Override
    public int clock() {
      return rest.clock();
    }

    @Override
    public SourceCounters counters() {
      return rest.counters();
    }

    @Override
    public double progress() {
      return Double.NaN;
    }

    @Override
    public void close() {}
  }

  @Test
  void shouldPassOnWhatWasLostBeforeTheTapInItsPlace() {
    try (RingSetWriter rings = rings(1, WhenFull.DROP);
        LosingSource source = new LosingSource(5, 6)) {
      GatingReader reader = new GatingReader(rings.ringFile(0), "test", RingStart.OLDEST);
      new TapLoop(source, rings, ParserProfile.SOFTWARE, Pacer.unpaced()).run();
      assertThat(rings.ringFile(0).counters().lostBeforeTap()).isEqualTo(10);
      while (reader.poll(10) != Poll.PACKETS) {
        // The clock comes first.
      }
      assertThat(reader.takeUnreportedLoss())
          .as("before the first")
          .isEqualTo(new PacketLoss(0, 3));
      while (reader.poll(10) != Poll.END) {
        // Behind the last packet.
      }
      assertThat(reader.takeUnreportedLoss()).as("after the last").isEqualTo(new PacketLoss(0, 7));
    }
  }

  /** Loses 3 packets before its first one, and 7 behind its last. */
  private static final class LosingSource extends FewPackets {
    private boolean asked;

    LosingSource(long... timesNs) {
      super(timesNs);
    }

    @Override
    public long takeLostBeforeTap() {
      boolean again = asked;
      asked = true;
      return again ? 7 : 3;
    }
  }

  @Test
  void shouldTellTheRingHowManyPacketsAnotherClockTimed() {
    try (RingSetWriter rings = rings(1, WhenFull.DROP);
        OtherClockSource source = new OtherClockSource(5, 6)) {
      new TapLoop(source, rings, ParserProfile.SOFTWARE, Pacer.unpaced()).run();
      assertThat(rings.ringFile(0).counters().otherClockPackets()).isEqualTo(2);
    }
  }

  /** Says once that its packets were timed by another clock than the rings'. */
  private static final class OtherClockSource extends FewPackets {
    private boolean asked;

    OtherClockSource(long... timesNs) {
      super(timesNs);
    }

    @Override
    public long takeOtherClockPackets() {
      boolean again = asked;
      asked = true;
      return again ? 0 : 2;
    }
  }

  /** Readers would wait for ever otherwise. */
  @Test
  void shouldEndItsRingsWhenTheSourceFails() {
    try (RingSetWriter rings = rings(1, WhenFull.DROP);
        FailingSource source = new FailingSource()) {
      TapLoop loop = new TapLoop(source, rings, ParserProfile.SOFTWARE, Pacer.unpaced());
      assertThatThrownBy(loop::run).hasMessage("unplugged");
      assertThat(rings.ringFile(0).isEnded()).isTrue();
      assertThat(rings.ringFile(0).counters().lostBeforeTap())
          .as("what it knew to be lost when it failed")
          .isEqualTo(4);
    }
  }

  private static final class FailingSource extends FewPackets {
    @Override
    public long takeLostBeforeTap() {
      return 4;
    }

    @Override
    public int fill(RawPacketBatch batch) {
      throw new IllegalStateException("unplugged");
    }
  }

  private static void stopOnceItRuns(TapLoop loop) {
    while (loop.offeredPackets() == 0) {
      Thread.onSpinWait();
    }
    loop.stop();
  }

  private static long timeNs(RingFile file, RingReader reader) {
    int low =
        file.slots()
            .get(
                ValueLayout.JAVA_INT,
                file.slotOffset(reader.runPosition()) + PacketRecordLayout.TIME_LOW_OFFSET);
    return reader.time().baseNs() + (low - (int) reader.time().baseNs());
  }
}
