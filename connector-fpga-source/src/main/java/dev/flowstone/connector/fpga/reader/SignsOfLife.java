// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.connector.fpga.rings.OpenRing;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends heartbeats of this reader to the taps from a thread of its own: the task's thread may wait
 * for a slow sink for as long as it takes. The reader starts and closes it; any thread may call.
 */
final class SignsOfLife implements AutoCloseable {
  private final Set<OpenRing> rings = new HashSet<>();
  private final Thread thread =
      Thread.ofPlatform().name("flowstone-signs-of-life").daemon().unstarted(this::run);
  private final long intervalNs;

  SignsOfLife(long intervalNs) {
    this.intervalNs = intervalNs;
  }

  void start() {
    thread.start();
  }

  private void run() {
    while (!Thread.currentThread().isInterrupted()) {
      show();
      LockSupport.parkNanos(intervalNs);
    }
  }

  /** Sends one heartbeat to each ring. */
  private synchronized void show() {
    for (OpenRing ring : rings) {
      try {
        ring.showLife();
      } catch (InternalError memoryIsGone) {
        // The task's thread finds out, and names the ring.
      }
    }
  }

  synchronized void add(OpenRing ring) {
    rings.add(ring);
  }

  /** Before the ring is closed: afterwards its memory is gone. */
  synchronized void remove(OpenRing ring) {
    rings.remove(ring);
  }

  @Override
  public void close() {
    thread.interrupt();
    synchronized (this) {
      rings.clear();
    }
  }
}
