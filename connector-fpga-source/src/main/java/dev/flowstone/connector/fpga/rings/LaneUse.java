// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import dev.flowstone.offheap.ring.ReaderName;
import java.time.Duration;

/**
 * How the lanes of rings are used.
 *
 * @param reader under which name, now and after a restart
 * @param expiry silence after which taps may take the reader for gone
 * @param isGating whether taps wait for it
 */
public record LaneUse(ReaderName reader, Duration expiry, boolean isGating) {}
