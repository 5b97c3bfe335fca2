// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import java.lang.foreign.MemorySegment;

/** What comes of the datagrams of one ring, each in its place. */
interface Deliveries {
  /**
   * Packets that follow what came before.
   *
   * @param recordsAt where their records lie, one after the other; no longer than for this call
   */
  void packets(MemorySegment memory, long recordsAt, int count, long baseNs, boolean trusted);

  /**
   * Packets that should stand here.
   *
   * @param timeNs when that became known, by the packets' clock; 0: nobody knows
   */
  void lost(LossCause cause, long packets, long timeNs);

  /** Packets that are not to be told, as they were received before. */
  void repeated(long packets);

  /** The ring's time, which all packets before have reached. */
  void time(long timeNs);

  /** The tap was started again so often that nobody knows what was missed. */
  void missedUnknown();
}
