// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import dev.flowstone.model.PacketLoss;
import java.io.Serializable;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.util.OutputTag;

/**
 * Packets that a stream lacks, as {@link Packets} and {@link FlowWindows} tell it on a side output:
 * {@code packets.getSideOutput(LostPackets.TAG)}.
 *
 * @param timeNs when the stream went on, UTC nanoseconds
 * @param stream names the ring's packets, see {@link dev.flowstone.model.StreamNumber}
 * @param inRing offered to the ring, and lost there, see {@link PacketLoss}
 * @param beforeTap lost before the tap
 */
public record LostPackets(long timeNs, long stream, long inRing, long beforeTap)
    implements Serializable {
  public static final OutputTag<LostPackets> TAG =
      new OutputTag<>("lost packets", TypeInformation.of(LostPackets.class));
}
