// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.functions;

import dev.flowstone.model.AddressText;
import java.nio.ByteBuffer;
import org.apache.flink.table.functions.ScalarFunction;

/**
 * {@code IP_TEXT(address)}: an address that came as a number, which is IPv4's, or as 4 or 16 bytes.
 */
public final class IpText extends ScalarFunction {
  private static final long serialVersionUID = 1L;
  private static final long MAPPED = 0xffff_0000_0000L;
  private static final long MOST_IPV4 = 0xffff_ffffL;
  private static final int IPV4_BYTES = 4;
  private static final int IPV6_BYTES = 16;

  public String eval(Long address) {
    if (address == null) {
      return null;
    }
    if (address < 0 || address > MOST_IPV4) {
      throw new IllegalArgumentException("an IPv4 address has 32 bits: " + address);
    }
    return AddressText.of(0, MAPPED | address, true);
  }

  public String eval(byte[] address) {
    if (address == null) {
      return null;
    }
    ByteBuffer bytes = ByteBuffer.wrap(address);
    return switch (address.length) {
      case IPV4_BYTES -> eval(Integer.toUnsignedLong(bytes.getInt()));
      case IPV6_BYTES -> AddressText.of(bytes.getLong(), bytes.getLong(), false);
      default ->
          throw new IllegalArgumentException("an address has 4 bytes or 16, not " + address.length);
    };
  }
}
