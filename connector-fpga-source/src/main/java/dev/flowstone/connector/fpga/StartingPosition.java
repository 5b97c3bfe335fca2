// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import dev.flowstone.offheap.ring.RingStart;

/** Where a ring begins that no checkpoint knows. */
public enum StartingPosition {
  /** With all it still holds; what is gone already counts as lost. */
  OLDEST,
  /**
   * With what comes now; what came before is neither read nor counted. Rings that appear while the
   * source runs begin with their oldest packet all the same: all of it is new.
   */
  LATEST;

  public RingStart start() {
    return switch (this) {
      case OLDEST -> RingStart.OLDEST;
      case LATEST -> RingStart.LATEST;
    };
  }
}
