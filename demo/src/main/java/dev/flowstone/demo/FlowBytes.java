// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.format.PacketBatch;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What each flow carried by the packets of a message, those that they stand for included.
 *
 * @param second of the first packet, since 1970: a message has those of some milliseconds
 */
record FlowBytes(long second, Map<FlowTuple, Long> bytes) {
  static FlowBytes of(PacketBatch batch) {
    if (batch.count() == 0) {
      return new FlowBytes(0, Map.of());
    }
    Map<FlowTuple, Long> sums = new HashMap<>();
    MemorySegment records = batch.records();
    FlowTuple flow = FlowTuple.of(records, batch.offsetBytes(0));
    long bytes = 0;
    for (int i = 0; i < batch.count(); i++) {
      long at = batch.offsetBytes(i);
      // Most packets come in trains of one flow.
      if (!flow.isOf(records, at)) {
        sums.merge(flow, bytes, Long::sum);
        flow = FlowTuple.of(records, at);
        bytes = 0;
      }
      bytes += PacketRecord.frameLength(PacketRecord.descriptor(records, at));
    }
    sums.merge(flow, bytes, Long::sum);
    long weight = batch.header().samplingWeight();
    sums.replaceAll((_, sum) -> sum * weight);
    return new FlowBytes(TimeUnit.NANOSECONDS.toSeconds(batch.timeNs(0)), sums);
  }
}
