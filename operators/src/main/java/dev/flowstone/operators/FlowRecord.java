// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.results.Result;
import dev.flowstone.results.ResultFields;
import dev.flowstone.results.RuleTag;
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
    RuleTag rule, FlowTuple flow, long firstNs, long lastNs, long packets, long bytes, int tcpFlags)
    implements Result, Serializable {
  public static final String KIND = "flow_record";

  @Override
  public String kind() {
    return KIND;
  }

  /** The time of its first packet: what is told of a flow later begins later. */
  @Override
  public long timeNs() {
    return firstNs;
  }

  @Override
  public void describe(ResultFields fields) {
    FlowKey.describe(flow, fields);
    fields.number("last_ns", lastNs);
    fields.number("packets", packets);
    fields.number("bytes", bytes);
    fields.number("tcp_flags", tcpFlags);
  }
}
