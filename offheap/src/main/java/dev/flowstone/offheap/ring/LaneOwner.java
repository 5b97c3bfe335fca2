// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import java.time.Duration;

/**
 * Who claims a lane.
 *
 * @param reader by which a restarted reader finds its lane again
 * @param mode what it asks of the producer, a {@link dev.flowstone.model.abi.LaneMode}
 * @param expiry without a sign of life for so long, the lane is abandoned; whole seconds count
 */
record LaneOwner(ReaderName reader, int mode, Duration expiry) {
  LaneOwner {
    if (expiry.isNegative() || expiry.toSeconds() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("lane expiry must be 0 s to 2^31 s: " + expiry);
    }
  }

  /** A reader of no job. */
  LaneOwner(String name, int mode, Duration expiry) {
    this(ReaderName.of(name), mode, expiry);
  }
}
