// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.results.ResultFields;

/** How results name a flow. */
public final class FlowKey {
  /** In place of addresses, where packets have none: ports are reason and EtherType then. */
  public static final String NO_IP = "no IP";

  private FlowKey() {}

  public static void describe(FlowTuple flow, ResultFields fields) {
    fields.key("source_address", flow.isIp() ? flow.sourceAddress() : NO_IP);
    fields.key("destination_address", flow.isIp() ? flow.destinationAddress() : NO_IP);
    fields.key("source_port", flow.sourcePort());
    fields.key("destination_port", flow.destinationPort());
    fields.key("protocol", flow.protocol());
  }
}
