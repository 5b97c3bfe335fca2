// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import dev.flowstone.harness.LocalCluster;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.raw.SourceCounters;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.TapLoop;
import dev.flowstone.tap.replay.CaptureException;
import dev.flowstone.tap.replay.ReplayOptions;
import dev.flowstone.tap.replay.ReplaySource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One pass of a capture the way every packet goes: tap, ring files, Flink job.
 *
 * @param answer what the job said
 * @param offeredPackets what the tap offered to the rings
 * @param source what the tap met while it read the file
 */
record CapturePass<T>(T answer, long offeredPackets, SourceCounters source) {
  /** Enough for the tap and the job to run side by side; a capture below it fits in as a whole. */
  private static final long MOST_RING_BYTES = 8L << 20;

  private static final long READER_POLL_NS = 500_000;

  /** Makes the rings, has the job read them, and removes them. The calling thread is the tap. */
  static <T> CapturePass<T> of(
      Path capture, RingDirectory directory, Function<RingDirectory, CompletableFuture<T>> job)
      throws IOException {
    try (ReplaySource source = new ReplaySource(ReplayOptions.once(capture));
        RingSetWriter rings =
            RingSetWriter.create(
                directory, rings(Files.size(capture), source.clock()), WhenFull.WAIT)) {
      TapLoop tap = new TapLoop(source, rings, ParserProfile.SOFTWARE, Pacer.unpaced());
      T answer = carry(tap, rings, () -> job.apply(directory));
      return new CapturePass<>(answer, tap.offeredPackets(), source.counters());
    } finally {
      directory.delete();
    }
  }

  private static RingSpecification rings(long fileBytes, int clock) {
    long ringBytes = Math.min(MOST_RING_BYTES, fileBytes);
    return new RingSpecification(
        InspectFlink.PARALLELISM,
        RingSpecification.slotsLog2ForBytes(ringBytes),
        clock,
        LocalCluster.MAX_PARALLELISM,
        "inspect",
        Optional.empty());
  }

  /** This thread is the tap; a job that fails wakes it, as nobody would make room any more. */
  private static <T> T carry(
      TapLoop tap, RingSetWriter rings, Supplier<CompletableFuture<T>> start) {
    Thread tapThread = Thread.currentThread();
    CompletableFuture<T> job =
        start
            .get()
            .whenComplete(
                (answer, failure) -> {
                  if (failure != null) {
                    tap.stop();
                    tapThread.interrupt();
                  }
                });
    while (!rings.allHaveGatingReader() && !job.isDone()) {
      LockSupport.parkNanos(READER_POLL_NS);
    }
    try {
      tap.run();
      return job.join();
    } catch (CaptureException e) {
      // Reading may have failed because the job did, which woke this thread.
      if (job.isCompletedExceptionally()) {
        return job.join();
      }
      throw e;
    } finally {
      // The interrupt was for the tap, and the thread goes on with another capture.
      Thread.interrupted();
    }
  }
}
