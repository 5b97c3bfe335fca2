// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.offheap.Reason;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.TapLoop;
import dev.flowstone.tap.replay.ReplayOptions;
import dev.flowstone.tap.replay.ReplaySource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Takes a capture the way every packet goes: tap, ring files, Flink job. Several threads may each
 * have a capture in hand.
 */
final class Inspector {
  /** Enough for the tap and the job to run side by side; a capture below it fits in as a whole. */
  private static final long MOST_RING_BYTES = 8L << 20;

  private static final long READER_POLL_NS = 500_000;

  private final InspectFlink flink;
  private final Path folder;
  private final AtomicInteger captures = new AtomicInteger();

  /** Rings are made in folders below {@code folder} and removed when they were read. */
  Inspector(InspectFlink flink, Path folder) {
    this.flink = flink;
    this.folder = folder;
  }

  Inspection inspect(String file) {
    try {
      return answer(file, Path.of(file));
    } catch (IOException | RuntimeException e) {
      Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
      String message = Reason.of(cause);
      return new Inspection.Failure(file, message);
    }
  }

  private Inspection.Answer answer(String file, Path path) throws IOException {
    RingDirectory directory =
        new RingDirectory(folder.resolve("capture-" + captures.getAndIncrement()));
    try (ReplaySource source = new ReplaySource(ReplayOptions.once(path));
        RingSetWriter rings =
            RingSetWriter.create(
                directory, rings(Files.size(path), source.clock()), WhenFull.WAIT)) {
      TapLoop tap = new TapLoop(source, rings, ParserProfile.SOFTWARE, Pacer.unpaced());
      TrafficSummary summary = carry(tap, rings, directory);
      requireAll(summary, tap.offeredPackets());
      return new Inspection.Answer(file, summary, source.counters());
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
        InspectFlink.MAX_PARALLELISM,
        "inspect",
        Optional.empty());
  }

  /** This thread is the tap; a job that fails wakes it, as nobody would make room any more. */
  private TrafficSummary carry(TapLoop tap, RingSetWriter rings, RingDirectory directory) {
    Thread tapThread = Thread.currentThread();
    CompletableFuture<TrafficSummary> job =
        flink
            .summarise(directory)
            .whenComplete(
                (summary, failure) -> {
                  if (failure != null) {
                    tap.stop();
                    tapThread.interrupt();
                  }
                });
    while (!rings.allHaveGatingReader() && !job.isDone()) {
      LockSupport.parkNanos(READER_POLL_NS);
    }
    try {
      runToTheEnd(tap, rings);
      return job.join();
    } finally {
      // The interrupt was for the tap, and the thread goes on with another capture.
      Thread.interrupted();
    }
  }

  /** Rings that never end would keep the job, and its slots, for ever. */
  private static void runToTheEnd(TapLoop tap, RingSetWriter rings) {
    boolean ended = false;
    try {
      tap.run();
      ended = true;
    } finally {
      if (!ended) {
        rings.end();
      }
    }
  }

  private static void requireAll(TrafficSummary summary, long offered) {
    if (summary.lost() > 0 || summary.packets() != offered) {
      throw new InspectException(
          "the job does not account for every packet: offered="
              + offered
              + " counted="
              + summary.packets()
              + " lost="
              + summary.lost());
    }
  }
}
