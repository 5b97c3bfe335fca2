// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.rings;

import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingLanes;
import java.util.List;

/**
 * All rings of a tap, and their one reader, at one moment.
 *
 * @param offered packets offered so far
 * @param released slots given back so far
 * @param held slots of the fullest ring that are not given back
 * @param readerPid process that took the rings up last; 0 before the first
 */
public record RingSight(long timeNs, long offered, long released, long held, int readerPid) {
  static RingSight of(List<RingFile> rings) {
    long offered = 0;
    long released = 0;
    long held = 0;
    int pid = 0;
    for (RingFile ring : rings) {
      offered += ring.counters().offeredPackets();
      for (RingLanes.Occupant reader : ring.lanes().occupants()) {
        pid = reader.pid();
        released += reader.releasedPosition();
        held = Math.max(held, ring.position() - reader.releasedPosition());
      }
    }
    return new RingSight(System.nanoTime(), offered, released, held, pid);
  }

  public double secondsSince(long earlierNs) {
    return (timeNs - earlierNs) / 1e9;
  }
}
