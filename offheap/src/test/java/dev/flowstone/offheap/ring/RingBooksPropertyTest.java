// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingReader.Poll;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * Whatever producer and readers do in whatever order: each packet is consumed or lost, exactly
 * once, and what is consumed is what was written.
 */
class RingBooksPropertyTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final int MOST_PACKETS = 1_500;
  private static final int ENOUGH_RUNS = 10;
  private static final long PAUSE_NS = 1_000_000;

  enum Act {
    WRITE,
    /** Each packet needs a TIME record. */
    WRITE_SPARSELY,
    HEARTBEAT,
    /** The source learns that packets never reached it. */
    LOSE_BEFORE_TAP,
    OBSERVE,
    /** The producer comes by between an observer's copy and its question. */
    OBSERVE_SLOWLY,
    /** From here on the producer must wait for this reader or drop. */
    GATE,
    /** The observer starts again where it stood. */
    RESUME
  }

  record Deed(Act act, int amount) {}

  @Provide
  Arbitrary<List<Deed>> deeds() {
    return Combinators.combine(Arbitraries.of(Act.class), Arbitraries.integers().between(1, 1500))
        .as(Deed::new)
        .list()
        .ofMaxSize(60);
  }

  @Property(tries = 100)
  void shouldAccountForEachPacket(@ForAll("deeds") List<Deed> deeds) throws IOException {
    try (Ring ring = new Ring()) {
      Books observer =
          new Books(ring, new ObservingReader(ring.file, "observer", RingStart.OLDEST));
      Optional<Books> gating = Optional.empty();
      for (Deed deed : deeds) {
        switch (deed.act()) {
          case WRITE -> ring.write(deed.amount(), 1000);
          case WRITE_SPARSELY -> ring.write(deed.amount() / 4, 2 * SECOND_NS);
          case HEARTBEAT -> ring.heartbeat(deed.amount());
          case LOSE_BEFORE_TAP -> ring.loseBeforeTap(deed.amount());
          case OBSERVE -> observer.step(deed.amount(), () -> {});
          case OBSERVE_SLOWLY -> observer.step(deed.amount(), () -> ring.write(600, 1000));
          case GATE -> {
            if (gating.isEmpty()) {
              GatingReader reader = new GatingReader(ring.file, "gating", RingStart.OLDEST);
              gating = Optional.of(new Books(ring, reader));
            }
            Books books = gating.orElseThrow();
            books.step(deed.amount(), () -> {});
            ((GatingReader) books.reader).release(books.reader.position());
          }
          case RESUME -> {
            RingProgress progress = observer.reader.progress();
            observer.requireExplained();
            observer.reader =
                new ObservingReader(ring.file, "observer", new RingStart.Resume(progress));
          }
        }
      }
      ring.writer.end();
      observer.finish();
      gating.ifPresent(Books::finish);
    }
  }

  /**
   * A producer at full speed overwrites runs while they are copied. After enough overwritten runs,
   * it pauses between batches until enough runs were consumed.
   */
  @Example
  void shouldAccountForEachPacketOfAProducerThatNeverWaits() throws Exception {
    try (Ring ring = new Ring()) {
      Books observer =
          new Books(ring, new ObservingReader(ring.file, "observer", RingStart.OLDEST));
      CompletableFuture<Void> reading = CompletableFuture.runAsync(observer::finish);
      for (int i = 0; observer.discarded.get() < ENOUGH_RUNS && !reading.isDone(); i++) {
        ring.write(1 + i % 200, i % 7 == 0 ? SECOND_NS : 1000);
      }
      while (observer.consumedRuns.get() < ENOUGH_RUNS && !reading.isDone()) {
        ring.write(100, 1000);
        LockSupport.parkNanos(PAUSE_NS);
      }
      ring.writer.end();
      reading.get(60, TimeUnit.SECONDS);
      assertThat(observer.discarded)
          .as("overwritten runs")
          .hasValueGreaterThanOrEqualTo(ENOUGH_RUNS);
    }
  }

  /** Packets that were written at once, with the same gap between each two. */
  private record Train(int firstNumber, long firstNs, long gapNs) {
    long timeNs(int number) {
      return firstNs + (number - firstNumber) * gapNs;
    }
  }

  /** A ring, and when each packet of it was. */
  private static final class Ring implements AutoCloseable {
    private final RingDirectory directory =
        new RingDirectory(Files.createTempDirectory("flowstone-books-"));
    private final Arena arena = Arena.ofShared();
    private final RecordBatch batch = new RecordBatch(arena);
    private final RingSetWriter writer =
        RingSetWriter.create(
            directory,
            new RingSpecification(1, 10, RingClock.SYNTHETIC, 128, "test", Optional.empty()),
            WhenFull.DROP);
    private final RingFile file = RingFile.open(directory.ringFile(0));
    private final TreeMap<Integer, Train> trains = new TreeMap<>();
    private int written;
    private long lostBeforeTap;
    private long nowNs = 1_700_000_000L * SECOND_NS;

    private Ring() throws IOException {}

    private void write(int packets, long gapNs) {
      batch.clear();
      synchronized (trains) {
        trains.put(written, new Train(written, nowNs, gapNs));
      }
      for (int i = 0; i < Math.min(packets, MOST_PACKETS); i++) {
        batch.add(++written, nowNs, true);
        nowNs += gapNs;
      }
      batch.writeTo(writer);
    }

    private void heartbeat(int seconds) {
      nowNs += seconds * SECOND_NS;
      writer.heartbeat(nowNs, true);
    }

    private void loseBeforeTap(int packets) {
      lostBeforeTap += packets;
      writer.lostBeforeTap(packets, nowNs);
    }

    private long timeNs(int number) {
      synchronized (trains) {
        return trains.floorEntry(number).getValue().timeNs(number);
      }
    }

    @Override
    public void close() {
      file.close();
      writer.close();
      directory.delete();
      arena.close();
    }
  }

  /** What one reader consumed. */
  private static final class Books {
    private final Ring ring;
    private RingReader reader;
    private final Set<Integer> consumed = new HashSet<>();
    private final AtomicInteger consumedRuns = new AtomicInteger();
    private final AtomicInteger discarded = new AtomicInteger();

    private Books(Ring ring, RingReader reader) {
      this.ring = ring;
      this.reader = reader;
    }

    private Poll step(int mostPackets, Runnable meanwhile) {
      Poll found = reader.poll(mostPackets);
      if (found == Poll.PACKETS) {
        long[][] copy = copy();
        meanwhile.run();
        if (!(reader instanceof ObservingReader observer) || observer.isRunIntact()) {
          for (long[] packet : copy) {
            int number = (int) packet[0];
            if (!consumed.add(number)) {
              throw new AssertionError("packet %d was consumed twice".formatted(number));
            }
            if (packet[1] != ring.timeNs(number)) {
              throw new AssertionError(
                  "time of packet %d: expected %d, got %d"
                      .formatted(number, ring.timeNs(number), packet[1]));
            }
          }
          consumedRuns.incrementAndGet();
        } else {
          discarded.incrementAndGet();
        }
      }
      return found;
    }

    private long[][] copy() {
      long[][] copy = new long[reader.runCount()][];
      for (int i = 0; i < copy.length; i++) {
        long offset = ring.file.slotOffset(reader.runPosition() + i);
        int timeLow = PacketRecord.timeLow(ring.file.slots(), offset);
        copy[i] =
            new long[] {
              PacketRecord.sequence(ring.file.slots(), offset),
              PacketRecord.timeNs(timeLow, reader.time().baseNs())
            };
      }
      return copy;
    }

    private void requireExplained() {
      assertThat(reader.unexplainedPackets()).as("unexplained").isZero();
    }

    private void finish() {
      Poll found;
      do {
        found = step(64, () -> {});
      } while (found != Poll.END);
      requireExplained();
      assertThat(consumed.size() + reader.lost().inRing())
          .as("consumed %d + lost %d", consumed.size(), reader.lost().inRing())
          .isEqualTo(ring.file.counters().offeredPackets());
      assertThat(reader.lost().beforeTap())
          .as("lost before the tap")
          .isEqualTo(ring.file.counters().lostBeforeTap())
          .isEqualTo(ring.lostBeforeTap);
    }
  }
}
