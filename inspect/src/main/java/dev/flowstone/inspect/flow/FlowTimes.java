// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.flow;

import dev.flowstone.inspect.count.InspectException;
import dev.flowstone.model.FlowTuple;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** The times of one flow, in an array that is made when its first packet comes. One thread. */
final class FlowTimes {
  private static final long[] NONE = {};

  private final UnsortedFlow flow;
  private final FlowTuple tuple;
  private long[] timesNs = NONE;
  private int count;

  FlowTimes(UnsortedFlow flow) {
    this.flow = flow;
    tuple = flow.tuple();
  }

  /** Adds the time of an IP packet if it is one of the flow's. */
  void add(MemorySegment segment, long offset, boolean ipv4, int hash, long timeNs) {
    if (hash == flow.hash() && ipv4 == tuple.ipv4() && isOfFlow(segment, offset)) {
      keep(timeNs);
    }
  }

  private boolean isOfFlow(MemorySegment segment, long offset) {
    Direction sent = Direction.of(tuple, segment, offset);
    return sent != null && flow.direction().includes(sent);
  }

  private void keep(long timeNs) {
    if (count == 0) {
      timesNs = new long[Math.toIntExact(flow.timedPackets())];
    }
    if (count == timesNs.length) {
      throw changed();
    }
    timesNs[count++] = timeNs;
  }

  UnsortedFlow flow() {
    return flow;
  }

  /** Sorts the times. */
  Gaps gaps() {
    if (count != timesNs.length) {
      throw changed();
    }
    Arrays.sort(timesNs);
    return Gaps.ofSorted(timesNs, count);
  }

  private InspectException changed() {
    return new InspectException(
        "the capture changed while it was read twice: flow "
            + tuple
            + " had "
            + flow.timedPackets()
            + " packets; inspect a copy");
  }
}
