// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.connector.fpga.rings.RingRun;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.offheap.ring.RingProgress;

/**
 * Makes a stream element of a run: the one part of the reader that knows what a ring's slots hold.
 * One instance per ring; one thread.
 *
 * @param <T> what operators get
 */
interface RunEmitter<T> {

  /** The run, by reference. */
  T run(RingIdentity ring, RingRun run, long lostBefore);

  /** An element without packets: losses that no packet followed. */
  T lossAlone(RingProgress at, long lostBefore);

  /** Event time of an element, UTC milliseconds. */
  long timeMs(T element);

  /** Whether the run's first packet belongs into another ring. */
  boolean isStray(RingIdentity ring, RingRun run);

  /** Makes the emitter of one ring. */
  interface Factory<T> {
    RunEmitter<T> forRing(int ring);
  }
}
