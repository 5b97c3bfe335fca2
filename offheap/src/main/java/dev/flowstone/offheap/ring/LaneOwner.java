// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.RingLaneLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Who claims a lane.
 *
 * @param name by which a restarted reader finds its lane again
 * @param mode what it asks of the producer, a {@link dev.flowstone.model.abi.LaneMode}
 * @param expiry without a sign of life for so long, the lane is abandoned; whole seconds count
 */
record LaneOwner(String name, int mode, Duration expiry) {
  LaneOwner {
    int lengthBytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (lengthBytes < 1 || lengthBytes > RingLaneLayout.NAME_LENGTH) {
      throw new IllegalArgumentException(
          "a reader's name has 1 to "
              + RingLaneLayout.NAME_LENGTH
              + " bytes of UTF-8, not "
              + lengthBytes
              + ": "
              + name);
    }
    if (expiry.isNegative() || expiry.toSeconds() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("lane expiry must be 0 s to 2^31 s: " + expiry);
    }
  }
}
