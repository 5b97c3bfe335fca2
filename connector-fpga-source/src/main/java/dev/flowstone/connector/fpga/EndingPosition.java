// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

/** Where the source ends a ring. */
public enum EndingPosition {
  /** Nowhere: it follows a tap that restarts. */
  NEVER,
  /** At the end of the ring, which its tap writes when it ends. */
  END_OF_TAP,
  /** After the packets that the ring holds when the source opens it. A running tap continues. */
  LATEST
}
