// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import java.time.Duration;

/**
 * Who claims a lane.
 *
 * @param name by which a restarted reader finds its lane again
 * @param mode what it asks of the producer, a {@link dev.flowstone.model.abi.LaneMode}
 * @param expiry without a sign of life for so long, the lane is abandoned; whole seconds count
 */
record LaneOwner(String name, int mode, Duration expiry) {}
