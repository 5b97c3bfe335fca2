// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.functions;

import dev.flowstone.model.FlowHash;
import dev.flowstone.rules.AddressMatch;
import org.apache.flink.table.functions.ScalarFunction;

/**
 * {@code FLOW_HASH(source_address, destination_address, source_port, destination_port, protocol)}:
 * as {@code flow_hash} of packets has it, the same in both directions.
 */
public final class FlowHashOf extends ScalarFunction {
  private static final long serialVersionUID = 1L;

  private transient FlowHash hash;

  public Long eval(
      String source,
      String destination,
      Integer sourcePort,
      Integer destinationPort,
      Integer protocol) {
    if (source == null
        || destination == null
        || sourcePort == null
        || destinationPort == null
        || protocol == null) {
      return null;
    }
    if (hash == null) {
      hash = new FlowHash();
    }
    AddressMatch from = AddressMatch.parse(source);
    AddressMatch to = AddressMatch.parse(destination);
    return Integer.toUnsignedLong(
        hash.hash(
            from.high(), from.low(), to.high(), to.low(), sourcePort, destinationPort, protocol));
  }
}
