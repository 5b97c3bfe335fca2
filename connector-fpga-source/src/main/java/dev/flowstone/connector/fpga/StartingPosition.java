// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import dev.flowstone.offheap.ring.RingStart;

/** Where a ring begins that no checkpoint knows. */
public enum StartingPosition {
  /**
   * With what it still holds, but for a quarter that is left to a tap at work; what came before is
   * no loss, and counted apart ({@code packetsBeforeStart}). Rings that appear while the source
   * runs begin with their oldest packet, and what is gone by then is lost.
   */
  OLDEST,
  /**
   * With what comes now; what came before is neither read nor counted. Rings that appear while the
   * source runs begin with their oldest packet all the same: all of it is new.
   */
  LATEST;

  public RingStart start() {
    return switch (this) {
      case OLDEST -> RingStart.JOIN;
      case LATEST -> RingStart.LATEST;
    };
  }
}
