// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import java.io.Serializable;

/**
 * When a flow record ends.
 *
 * @param activeNs the longest time that one record covers
 * @param idleNs the longest time between two packets of one record
 */
public record FlowTimeouts(long activeNs, long idleNs) implements Serializable {

  /** The end of the flow's interval that this time is in. */
  long endNs(long timeNs, int flowHash) {
    long phaseNs = Math.unsignedMultiplyHigh((long) flowHash << Integer.SIZE, activeNs);
    return timeNs - Math.floorMod(timeNs - phaseNs, activeNs) + activeNs;
  }
}
