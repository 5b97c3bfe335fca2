// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RawPacketLayout;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ParserLibrary;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;

/** The producer's side of {@link RingBenchmark}: writes prepared records until it is stopped. */
public final class RingProducer {
  private static final int BATCH = RawPacketBatch.DEFAULT_CAPACITY;
  private static final long LINE_BYTES = 64;

  private RingProducer() {}

  /** Arguments: folder, binary logarithm of the ring's slots, packets to prepare. */
  public static void main(String[] arguments) {
    RingDirectory directory = new RingDirectory(Path.of(arguments[0]));
    int slotsLog2 = Integer.parseInt(arguments[1]);
    // Whole batches, so that the loop has no remainder.
    long packets = Math.ceilDiv(Long.parseLong(arguments[2]), BATCH) * BATCH;
    RingSpecification specification =
        new RingSpecification(
            1, slotsLog2, RingClock.SYNTHETIC, 128, "benchmark", Optional.empty());
    try (SyntheticSource source =
            new SyntheticSource(SyntheticOptions.defaults().withPackets(packets));
        CapturedFrames captured = new CapturedFrames(packets, packets * 160).take(source);
        Arena arena = Arena.ofConfined();
        RingSetWriter rings = RingSetWriter.create(directory, specification, WhenFull.WAIT)) {
      MemorySegment records = arena.allocate(packets * PacketRecordLayout.SIZE_BYTES, LINE_BYTES);
      ParserLibrary.instance()
          .parse(
              captured.frames(),
              captured.descriptors(),
              (int) packets,
              ParserProfile.SOFTWARE,
              records);
      rings.populate();
      writeForever(rings, captured.descriptors(), records, packets);
    }
  }

  private static void writeForever(
      RingSetWriter rings, MemorySegment rawPackets, MemorySegment records, long packets) {
    Thread writer = Thread.currentThread();
    Thread.ofPlatform().name("producer-stdin").daemon().start(() -> interruptAtStdinEnd(writer));
    for (long first = 0; !writer.isInterrupted(); ) {
      rings.write(
          rawPackets.asSlice(first * RawPacketLayout.SIZE_BYTES),
          records.asSlice(first * PacketRecordLayout.SIZE_BYTES),
          BATCH);
      first = first + BATCH < packets ? first + BATCH : 0;
    }
  }

  /** Whoever started this process is gone then. */
  private static void interruptAtStdinEnd(Thread writer) {
    try {
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException closed) {
      // As good as its end.
    }
    writer.interrupt();
  }
}
