// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.operators.PacketOperator;
import dev.flowstone.model.Packet;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/**
 * From blocks to one element for each packet, with the packet's own timestamp: for jobs written as
 * Flink's textbook writes them, which do not need the speed of blocks.
 *
 * <p>Watermarks are the source's: they stay {@code outOfOrderness} behind the time that a ring has
 * told, so a packet is late only if it is older by more than that than what came before it in its
 * ring. What Flink's windows do with late packets is Flink's: they drop and count them ({@code
 * numLateRecordsDropped}), or give them to {@code sideOutputLateData}.
 */
public final class Packets {
  private static final String NAME = "Packets";

  private Packets() {}

  /**
   * One element for each packet. Losses come on the side output {@link LostPackets#TAG}.
   *
   * @param blocks from {@link FpgaSource} or {@link FlowExchange}
   */
  public static SingleOutputStreamOperator<Packet> of(DataStream<PacketBlock> blocks) {
    return blocks
        .transform(NAME, TypeInformation.of(Packet.class), new PacketOperator())
        .setParallelism(blocks.getParallelism());
  }
}
