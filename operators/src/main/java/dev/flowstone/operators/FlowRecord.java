// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.model.FlowTuple;
import java.io.Serializable;

/**
 * What was seen of a flow in one piece of its life, see {@link FlowRecords}.
 *
 * @param flow what one side sends to the other
 * @param firstNs time of its first packet, UTC nanoseconds
 * @param lastNs time of its last packet
 * @param bytes of its frames on the wire
 * @param tcpFlags all that were set in any packet
 */
public record FlowRecord(
    FlowTuple flow, long firstNs, long lastNs, long packets, long bytes, int tcpFlags)
    implements Serializable {}
