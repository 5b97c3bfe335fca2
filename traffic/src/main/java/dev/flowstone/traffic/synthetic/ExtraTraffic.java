// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.lang.foreign.MemorySegment;

/** Traffic with times of its own, laid over the mix. */
abstract class ExtraTraffic {
  /** Its time when nothing more will come. */
  static final long NEVER = Long.MAX_VALUE;

  long nextNs = NEVER;
  long packets;
  long bytes;

  /**
   * Writes the frame that is due at {@link #nextNs}, moves that on, and returns the wire length.
   */
  abstract int writeNext(MemorySegment frames, long offset);
}
