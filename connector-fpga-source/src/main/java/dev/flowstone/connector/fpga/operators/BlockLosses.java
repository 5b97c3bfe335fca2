// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.operators;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.LostPackets;
import dev.flowstone.model.PacketLoss;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Where blocks end, their losses go on by themselves. */
public final class BlockLosses {
  public static final long NS_PER_MS = 1_000_000;

  private BlockLosses() {}

  public static void tell(PacketBlock block, Output<?> output) {
    PacketLoss loss = block.lossBefore();
    if (loss.isNone()) {
      return;
    }
    long timeNs = block.isEmpty() ? block.timeBaseNs() : block.timeNs(0);
    LostPackets lost = new LostPackets(timeNs, block.stream(), loss.inRing(), loss.beforeTap());
    output.collect(LostPackets.TAG, new StreamRecord<>(lost, Math.floorDiv(timeNs, NS_PER_MS)));
  }
}
