// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.offheap.Posix;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingReader;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingStart;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.processes.ChildProcess;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Records per second through one ring file from one process to another. */
final class RingBenchmark implements Benchmark {
  private static final int MOST_RECORDS = 1024;
  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  /** Longer than any window: the producer must not take the reader for gone. */
  private static final Duration STALL = Duration.ofHours(1);

  private static final int FULL_SLOTS_LOG2 = 20;
  private static final int SMOKE_SLOTS_LOG2 = 12;
  private static final long LINE_BYTES = 64;

  @Override
  public String name() {
    return "ring";
  }

  @Override
  public String description() {
    return "records/s through a ring file between two processes; baseline: memcpy of the bytes";
  }

  @Override
  public Steps steps(BenchScale scale) {
    return scale.isFull()
        ? Steps.of(scale, scale, scale.brief(), scale.brief())
        : Steps.of(scale, scale);
  }

  @Override
  public BenchResult run(BenchScale scale) throws Exception {
    int slotsLog2 = scale.isSmoke() ? SMOKE_SLOTS_LOG2 : FULL_SLOTS_LOG2;
    long slots = 1L << slotsLog2;
    Windows copy = copy(slots, scale);
    Windows ring = ring(slotsLog2, Math.min(scale.packets(), slots), scale);
    Map<String, Object> further = new LinkedHashMap<>();
    further.put("ring_bytes", slots * RingFile.SLOT_BYTES);
    if (scale.isFull()) {
      further.put("stored_per_core", stored(slotsLog2, scale.brief()).median());
      further.put("dropped_per_core", dropped(slotsLog2, scale.brief()).median());
    }
    return new BenchResult(
        name(),
        "records/s",
        BenchResult.Better.MORE,
        ring,
        copy,
        "memcpy of the same bytes in one process",
        further);
  }

  private static Windows copy(long records, BenchScale scale) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = arena.allocate(records * RingFile.SLOT_BYTES, LINE_BYTES).fill((byte) 1);
      MemorySegment to = arena.allocate(records * RingFile.SLOT_BYTES, LINE_BYTES).fill((byte) 2);
      Progress.step("memcpy", scale);
      return Windows.ratesOfPasses(records, () -> to.copyFrom(from), scale);
    }
  }

  private static Windows ring(int slotsLog2, long packets, BenchScale scale) throws Exception {
    Progress.step("ring between two processes", scale);
    try (ScratchFolder folder = ScratchFolder.inMemory("bench")) {
      return ring(new RingDirectory(folder.path()), slotsLog2, packets, scale);
    }
  }

  private static Windows ring(
      RingDirectory directory, int slotsLog2, long packets, BenchScale scale) throws Exception {
    List<String> arguments =
        List.of(directory.path().toString(), Integer.toString(slotsLog2), Long.toString(packets));
    try (ChildProcess producer =
        MeasuredProcess.start(
            "producer", directory.path(), RingProducer.class.getName(), arguments)) {
      awaitRing(directory, producer);
      try (RingFile file = RingFile.open(directory.ringFile(0));
          GatingReader reader = new GatingReader(file, "benchmark", RingStart.OLDEST)) {
        Posix.populate(file.slots());
        Windows windows = read(reader, scale);
        producer.requireRunning();
        return windows;
      }
    }
  }

  private static Windows stored(int slotsLog2, BenchScale scale) throws IOException {
    Progress.step("packets into a ring without readers", scale);
    try (OneProcess process = new OneProcess(slotsLog2)) {
      return process.packetsPerCore(scale);
    }
  }

  private static Windows dropped(int slotsLog2, BenchScale scale) throws IOException {
    Progress.step("packets for a full ring", scale);
    try (OneProcess process = new OneProcess(slotsLog2);
        RingFile file = RingFile.open(process.directory.ringFile(0));
        GatingReader _ = new GatingReader(file, "stalled", RingStart.OLDEST, STALL)) {
      while (file.counters().droppedPackets() == 0) {
        process.prepared.writeBatch(process.rings);
      }
      long written = file.counters().writtenPackets();
      Windows rates = process.packetsPerCore(scale);
      if (file.counters().writtenPackets() != written) {
        throw new IllegalStateException("the full ring took packets");
      }
      return rates;
    }
  }

  /** A producer without a second process. */
  private static final class OneProcess implements AutoCloseable {
    private final PreparedRecords prepared;
    private final ScratchFolder folder;
    private final RingDirectory directory;
    private final RingSetWriter rings;

    OneProcess(int slotsLog2) throws IOException {
      prepared = new PreparedRecords(1L << slotsLog2);
      folder = ScratchFolder.inMemory("bench");
      directory = new RingDirectory(folder.path());
      rings = RingSetWriter.create(directory, RingProducer.oneRing(slotsLog2), WhenFull.DROP);
      rings.populate();
    }

    Windows packetsPerCore(BenchScale scale) {
      return Windows.ratesOfPassesPerCore(
          PreparedRecords.BATCH, () -> prepared.writeBatch(rings), scale);
    }

    @Override
    public void close() throws IOException {
      rings.close();
      folder.close();
      prepared.close();
    }
  }

  private static void awaitRing(RingDirectory directory, ChildProcess producer) throws IOException {
    long endNs = System.nanoTime() + START_LIMIT.toNanos();
    while (directory.ringFiles().isEmpty()) {
      producer.requireRunning();
      if (System.nanoTime() - endNs > 0) {
        throw new IOException(directory.path() + ": the producer made no ring");
      }
      Windows.await(Duration.ofMillis(10));
    }
  }

  private static Windows read(GatingReader reader, BenchScale scale) {
    Consumer consumer = new Consumer(reader);
    Thread thread = Thread.ofPlatform().name("ring-consumer").daemon().start(consumer);
    try {
      return Windows.ratesOf(() -> consumer.records, scale);
    } finally {
      consumer.stopping = true;
      join(thread);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Polls, reads three fields of each record, and gives the space back at once. */
  private static final class Consumer implements Runnable {
    private final GatingReader reader;
    private volatile long records;
    private volatile boolean stopping;

    Consumer(GatingReader reader) {
      this.reader = reader;
    }

    @Override
    public void run() {
      long count = 0;
      while (!stopping) {
        if (reader.poll(MOST_RECORDS) == RingReader.Poll.PACKETS) {
          long offset = reader.file().slotOffset(reader.runPosition());
          Sink.take(ThreeFields.sum(reader.file().slots(), offset, reader.runCount()));
          count += reader.runCount();
          records = count;
          reader.release(reader.runPosition() + reader.runCount());
        } else {
          Thread.onSpinWait();
        }
      }
    }
  }
}
