// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import dev.flowstone.blocks.PacketBlock;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * The packets of a job's rings.
 *
 * @param asRead where a subtask has whole rings, each in order
 * @param byFlow where a subtask has whole flows; the same stream where rings are filled that way
 */
public record RingBlocks(DataStream<PacketBlock> asRead, DataStream<PacketBlock> byFlow) {
  /** Whether packets went from one subtask to another in between. */
  public boolean areExchanged() {
    return !asRead.equals(byFlow);
  }
}
