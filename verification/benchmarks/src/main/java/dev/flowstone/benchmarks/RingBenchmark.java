// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.offheap.Posix;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingReader;
import dev.flowstone.offheap.ring.RingStart;
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
  public BenchResult run(BenchScale scale) throws Exception {
    int slotsLog2 = scale.isFull() ? FULL_SLOTS_LOG2 : SMOKE_SLOTS_LOG2;
    long slots = 1L << slotsLog2;
    Windows copy = copy(slots, scale);
    Windows ring = ring(slotsLog2, Math.min(scale.packets(), slots), scale);
    Map<String, Object> further = new LinkedHashMap<>();
    further.put("ring_bytes", slots * RingFile.SLOT_BYTES);
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
      Progress.say("memcpy");
      return Windows.ratesOfPasses(records, () -> to.copyFrom(from), scale);
    }
  }

  private static Windows ring(int slotsLog2, long packets, BenchScale scale) throws Exception {
    Progress.say("ring between two processes");
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
