// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;

import dev.flowstone.model.FlowHash;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.SentRecord;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Packets of given flows, as a ring has them. */
final class FlowRecords {

  private final MemorySegment records;
  private final long[] at;

  private FlowRecords(MemorySegment records, long[] at) {
    this.records = records;
    this.at = at;
  }

  MemorySegment records() {
    return records;
  }

  /** Where each lies. */
  long[] at() {
    return at;
  }

  static FlowRecords of(List<FlowTuple> flows) {
    FlowRecords packets = of(flows.size());
    for (int i = 0; i < flows.size(); i++) {
      packets.write(i, flows.get(i), FlowHash.of(flows.get(i)));
    }
    return packets;
  }

  static FlowRecords of(int count) {
    long[] at = new long[count];
    for (int i = 0; i < count; i++) {
      at[i] = i * SIZE_BYTES;
    }
    return new FlowRecords(Arena.ofAuto().allocate(Math.max(1, count) * SIZE_BYTES, 64), at);
  }

  void write(int index, FlowTuple flow, int flowHash) {
    long record = at[index];
    // What no flow is told by must not matter.
    records.asSlice(record, SIZE_BYTES).fill((byte) index);
    SentRecord.write(records, record, flow, flowHash, index, index & 0x7ffff);
  }
}
