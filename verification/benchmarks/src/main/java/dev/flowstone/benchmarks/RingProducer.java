// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Optional;

/** The producer's side of {@link RingBenchmark}: writes prepared records until it is stopped. */
public final class RingProducer {
  private RingProducer() {}

  /** Arguments: folder, binary logarithm of the ring's slots, packets to prepare. */
  public static void main(String[] arguments) throws IOException {
    RingDirectory directory = new RingDirectory(Path.of(arguments[0]));
    int slotsLog2 = Integer.parseInt(arguments[1]);
    try (PreparedRecords prepared = new PreparedRecords(Long.parseLong(arguments[2]));
        RingSetWriter rings = RingSetWriter.create(directory, oneRing(slotsLog2), WhenFull.WAIT)) {
      rings.populate();
      Thread writer = Thread.currentThread();
      Thread.ofPlatform().name("producer-stdin").daemon().start(() -> interruptAtStdinEnd(writer));
      while (!writer.isInterrupted()) {
        prepared.writeBatch(rings);
      }
    }
  }

  static RingSpecification oneRing(int slotsLog2) {
    return new RingSpecification(
        1, slotsLog2, RingClock.SYNTHETIC, 128, "benchmark", Optional.empty());
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
