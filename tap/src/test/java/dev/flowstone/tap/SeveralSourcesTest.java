// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
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
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sources that are carried by threads of their own into the same rings. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SeveralSourcesTest {
  private static final long SECOND_NS = 1_000_000_000;
  private static final int SOURCES = 3;
  private static final int PACKETS = 100_000;
  private static final int FLOWS = 16;
  private static final int SLOTS_LOG2 = 19;
  private static final int RINGS = 2;

  @TempDir Path folder;

  /** UDP packets of some flows that no other source has, numbered by their length on the wire. */
  private static final class Flows implements PacketSource {
    static final int FRAME_BYTES = 64;
    private static final int FIRST_PORT = 1000;
    private static final ValueLayout.OfShort SHORT =
        ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final Arena arena = Arena.ofShared();
    private final MemorySegment frames = arena.allocate((long) FLOWS * FRAME_BYTES);
    private int given;

    Flows(int source) {
      for (int flow = 0; flow < FLOWS; flow++) {
        MemorySegment frame = frames.asSlice((long) flow * FRAME_BYTES, FRAME_BYTES);
        frame.set(SHORT, 12, (short) 0x0800);
        frame.set(SHORT, 14, (short) 0x4500);
        frame.set(SHORT, 16, (short) (FRAME_BYTES - 14));
        frame.set(ValueLayout.JAVA_BYTE, 22, (byte) 64);
        frame.set(ValueLayout.JAVA_BYTE, 23, (byte) 17);
        frame.set(SHORT, 34, (short) (FIRST_PORT + source * FLOWS + flow));
        frame.set(SHORT, 36, (short) 53);
        frame.set(SHORT, 38, (short) (FRAME_BYTES - 34));
      }
    }

    @Override
    public int fill(RawPacketBatch batch) {
      batch.begin(frames);
      while (batch.hasRoom() && given < PACKETS) {
        batch.append(
            (long) (given % FLOWS) * FRAME_BYTES, given * 1000L, FRAME_BYTES, FRAME_BYTES, 1, 0);
        given++;
      }
      return batch.count() == 0 ? END : batch.count();
    }

    @Override
    public int clock() {
      return RingClock.CAPTURE;
    }

    @Override
    public SourceCounters counters() {
      return new SourceCounters(given, 0, 0, 0, 0, Map.of(), List.of());
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

  private RingSetWriter rings(int count) {
    return RingSetWriter.create(
        new RingDirectory(folder),
        new RingSpecification(count, SLOTS_LOG2, RingClock.CAPTURE, 128, "test", Optional.empty()),
        WhenFull.DROP);
  }

  private RingFile openRing(int ring) {
    return RingFile.open(new RingDirectory(folder).ringFile(ring));
  }

  @Test
  void shouldBringEveryPacketOnceAndKeepTheOrderOfEachFlow() {
    List<Flows> sources = IntStream.range(0, SOURCES).mapToObj(Flows::new).toList();
    TapLoop loop;
    try (RingSetWriter rings = rings(RINGS)) {
      loop = new TapLoop(sources, rings, ParserProfile.SOFTWARE, Pacer.unpaced());
      loop.run();
    }
    sources.forEach(Flows::close);
    assertThat(loop.parsedPackets()).isEqualTo(SOURCES * PACKETS);
    assertThat(loop.offeredPackets()).isEqualTo(SOURCES * PACKETS);
    Map<Integer, Long> latestNs = new HashMap<>();
    long read = 0;
    for (int ring = 0; ring < RINGS; ring++) {
      try (RingFile file = openRing(ring)) {
        RingCounters counters = file.counters();
        assertThat(counters.droppedPackets()).isZero();
        assertThat(counters.offeredPackets()).isEqualTo(counters.writtenPackets());
        read += readInOrder(file, latestNs);
      }
    }
    assertThat(read).isEqualTo(SOURCES * PACKETS);
    assertThat(latestNs).hasSize(SOURCES * FLOWS);
  }

  /** Times grow within a flow; those of different sources may overtake each other. */
  private static long readInOrder(RingFile file, Map<Integer, Long> latestNs) {
    long read = 0;
    try (GatingReader reader = new GatingReader(file, "test", RingStart.OLDEST)) {
      for (Poll found = reader.poll(1); found != Poll.END; found = reader.poll(1)) {
        if (found == Poll.PACKETS) {
          long offset = file.slotOffset(reader.runPosition());
          int low =
              file.slots().get(ValueLayout.JAVA_INT, offset + PacketRecordLayout.TIME_LOW_OFFSET);
          long timeNs = reader.time().baseNs() + (low - (int) reader.time().baseNs());
          int port =
              file.slots()
                      .get(ValueLayout.JAVA_SHORT, offset + PacketRecordLayout.SOURCE_PORT_OFFSET)
                  & 0xFFFF;
          Long before = latestNs.put(port, timeNs);
          assertThat(before == null ? -1L : before).as("flow %d", port).isLessThan(timeNs);
          read++;
        }
      }
    }
    return read;
  }

  /** A watermark is made of it: the source that is behind may still have packets for that ring. */
  @Test
  void shouldTellAQuietRingNoTimeThatOneOfThemHasNotReached() {
    try (RingSetWriter rings = rings(1)) {
      SharedRings shared = new SharedRings(rings, 2);
      shared.reach(0, 10 * SECOND_NS);
      assertThat(latestNs(rings)).as("nobody knows where the other is").isZero();
      shared.reach(1, 5 * SECOND_NS);
      assertThat(latestNs(rings)).isEqualTo(5 * SECOND_NS);
      shared.reach(0, 20 * SECOND_NS);
      assertThat(latestNs(rings)).isEqualTo(5 * SECOND_NS);
      shared.reach(1, 12 * SECOND_NS);
      assertThat(latestNs(rings)).isEqualTo(12 * SECOND_NS);
      shared.reach(1, PacketSource.NO_TIME);
      shared.leave(1);
      shared.reach(0, 30 * SECOND_NS);
      assertThat(latestNs(rings)).as("the other has left").isEqualTo(30 * SECOND_NS);
      rings.end();
    }
  }

  private static long latestNs(RingSetWriter rings) {
    return rings.ringFile(0).counters().latestTimeNs();
  }

  /** Nothing, for ever. */
  private static class Idle implements PacketSource {
    @Override
    public int fill(RawPacketBatch batch) {
      batch.clear();
      return 0;
    }

    @Override
    public int clock() {
      return RingClock.CAPTURE;
    }

    @Override
    public SourceCounters counters() {
      return new SourceCounters(0, 0, 0, 0, 0, Map.of(), List.of());
    }

    @Override
    public double progress() {
      return Double.NaN;
    }

    @Override
    public void close() {}
  }

  private static final class Failing extends Idle {
    private final RuntimeException failure;
    private final Error error;

    Failing(RuntimeException failure, Error error) {
      this.failure = failure;
      this.error = error;
    }

    @Override
    public int fill(RawPacketBatch batch) {
      if (error != null) {
        throw error;
      }
      throw failure;
    }

    @Override
    public long takeLostBeforeTap() {
      return 4;
    }
  }

  @Test
  void shouldEndAllWhenOneFails() {
    Failing failing = new Failing(new IllegalStateException("unplugged"), null);
    List<PacketSource> second = List.of(new Idle(), failing);
    for (List<PacketSource> sources : List.of(second, second.reversed())) {
      try (RingSetWriter rings = rings(1)) {
        TapLoop loop = new TapLoop(sources, rings, ParserProfile.SOFTWARE, Pacer.unpaced());
        assertThatThrownBy(loop::run).hasMessage("unplugged");
        assertThat(rings.ringFile(0).isEnded()).isTrue();
        assertThat(rings.ringFile(0).counters().lostBeforeTap()).isEqualTo(4);
      }
    }
  }

  /** Rings whose memory is gone: a thread that dies of it must not go unnoticed. */
  @Test
  void shouldEndAllWhenOneMeetsAnError() {
    InternalError lost = new InternalError("memory is gone");
    List<PacketSource> sources = List.of(new Idle(), new Failing(null, lost));
    try (RingSetWriter rings = rings(1)) {
      TapLoop loop = new TapLoop(sources, rings, ParserProfile.SOFTWARE, Pacer.unpaced());
      assertThatThrownBy(loop::run).isSameAs(lost);
      assertThat(rings.ringFile(0).isEnded()).isFalse();
    }
  }
}
