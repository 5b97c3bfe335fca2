// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.offheap.FileLock;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Lets one reader at a time claim a lane of a ring. */
@FunctionalInterface
interface ClaimTurn {
  /** A claim takes microseconds. */
  long LONGEST_WAIT_NS = TimeUnit.SECONDS.toNanos(10);

  long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(100);

  /** Waits until it is this reader's turn. */
  Turn await();

  /** It is somebody's turn until he closes this. */
  interface Turn extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * By the lock of the ring's file, among all processes of the host: a claim that is cut off by the
   * death of its process gives the turn to the next.
   */
  static ClaimTurn byLockOf(Path ring) {
    return () -> take(ring)::close;
  }

  private static FileLock take(Path ring) {
    long beganNs = System.nanoTime();
    while (true) {
      Optional<FileLock> taken = FileLock.tryTake(ring);
      if (taken.isPresent()) {
        return taken.get();
      }
      if (System.nanoTime() - beganNs > LONGEST_WAIT_NS) {
        throw new RingFileException(
            ring
                + ": another process has held the file's lock for "
                + TimeUnit.NANOSECONDS.toSeconds(LONGEST_WAIT_NS)
                + " s, longer than any reader takes to claim a lane; look who (lslocks), and end it");
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new RingFileException(ring + ": interrupted while waiting to claim a reader lane");
      }
      LockSupport.parkNanos(PAUSE_NS);
    }
  }
}
