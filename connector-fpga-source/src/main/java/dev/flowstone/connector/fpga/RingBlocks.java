// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import dev.flowstone.blocks.PacketBlock;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * The packets of a job's rings, where they are read: a subtask has whole rings, each in order.
 *
 * @param areByFlow whether it has whole flows, too, because rings are filled that way; if not,
 *     packets go through an exchange before an operator that keeps state by flow
 */
public record RingBlocks(DataStream<PacketBlock> packets, boolean areByFlow) {}
