// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.operators;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.Packet;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Emits each packet of a block by itself. An operator and no function, because only an operator
 * gives elements other timestamps than that of what it got and leaves the watermarks alone.
 */
public final class PacketOperator extends AbstractStreamOperator<Packet>
    implements OneInputStreamOperator<PacketBlock, Packet> {
  private static final long serialVersionUID = 1L;

  @Override
  public void processElement(StreamRecord<PacketBlock> element) {
    PacketBlock block = element.getValue();
    BlockLosses.tell(block, output);
    StreamRecord<Packet> record = new StreamRecord<>(null);
    for (int i = 0; i < block.count(); i++) {
      long timeNs = block.timeNs(i);
      Packet packet = Packet.of(block.segment(), block.offsetOf(i), timeNs);
      output.collect(record.replace(packet, Math.floorDiv(timeNs, BlockLosses.NS_PER_MS)));
    }
    block.requireIntact();
  }
}
