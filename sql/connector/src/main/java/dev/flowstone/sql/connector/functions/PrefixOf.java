// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.functions;

import dev.flowstone.rules.AddressMatch;
import org.apache.flink.table.functions.ScalarFunction;

/**
 * {@code PREFIX_OF(source_address, 24, 48)}: the prefix that an address is in, {@code 10.1.2.0/24};
 * of that many bits for IPv4 and for IPv6, or of one number for both.
 */
public final class PrefixOf extends ScalarFunction {
  private static final long serialVersionUID = 1L;
  private static final int IPV4_BITS = 32;
  private static final int IPV6_BITS = 128;

  public String eval(String address, Integer ipv4Bits, Integer ipv6Bits) {
    if (address == null || ipv4Bits == null || ipv6Bits == null) {
      return null;
    }
    AddressMatch parsed = AddressMatch.parse(address);
    int bits = parsed.ipv4() ? ipv4Bits : ipv6Bits;
    if (bits < 0 || bits > (parsed.ipv4() ? IPV4_BITS : IPV6_BITS)) {
      throw new IllegalArgumentException(
          "a prefix has 0 to 32 bits of IPv4, 0 to 128 of IPv6, not " + bits);
    }
    return AddressMatch.prefix(parsed.ipv4(), parsed.high(), parsed.low(), bits).toString();
  }

  public String eval(String address, Integer bits) {
    return eval(address, bits, bits);
  }
}
