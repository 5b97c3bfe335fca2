// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.functions;

import dev.flowstone.rules.AddressMatch;
import org.apache.flink.table.functions.ScalarFunction;

/**
 * {@code IN_PREFIX(source_address, '10.0.0.0/8')}: whether an address is of a prefix, or of an
 * address and a mask. IPv4 addresses are in no prefix of IPv6.
 */
public final class InPrefix extends ScalarFunction {
  private static final long serialVersionUID = 1L;

  private transient String parsedText;
  private transient AddressMatch parsed;

  public Boolean eval(String address, String prefix) {
    if (address == null || prefix == null) {
      return null;
    }
    return match(prefix).covers(AddressMatch.parse(address));
  }

  /** Mostly the same for all rows. */
  private AddressMatch match(String prefix) {
    if (!prefix.equals(parsedText)) {
      parsed = AddressMatch.parse(prefix);
      parsedText = prefix;
    }
    return parsed;
  }
}
