// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.kafkastreams;

import java.util.concurrent.atomic.LongAdder;

/** How far a program is. Any thread may call any method. */
final class SynCounts {
  private final LongAdder packets = new LongAdder();
  private final LongAdder syns = new LongAdder();
  private final LongAdder grouped = new LongAdder();

  /** SYNs before packets: whoever sees all packets sees their SYNs. */
  void read(int count, boolean isSyn) {
    syns.add(isSyn ? 1 : 0);
    packets.add(count);
  }

  /** A SYN has come to where those to its destination are counted. */
  void grouped() {
    grouped.increment();
  }

  long packets() {
    return packets.sum();
  }

  /** Whether so many packets were read and every SYN of them was counted. */
  boolean isDone(long ofPackets) {
    return packets.sum() >= ofPackets && grouped.sum() >= syns.sum();
  }
}
