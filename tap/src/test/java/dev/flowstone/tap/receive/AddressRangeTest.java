// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressRangeTest {
  @ParameterizedTest
  @CsvSource({
    "192.0.2.7, 32, 192.0.2.7, true",
    "192.0.2.7, 32, 192.0.2.6, false",
    "192.0.2.0, 24, 192.0.2.255, true",
    "192.0.2.0, 24, 192.0.3.0, false",
    "192.0.2.128, 25, 192.0.2.129, true",
    "192.0.2.128, 25, 192.0.2.127, false",
    "192.0.2.128, 26, 192.0.2.192, false",
    "0.0.0.0, 0, 203.0.113.9, true",
    "0.0.0.0, 0, 2001:db8::1, false",
    "2001:db8::, 32, 2001:db8:ffff::1, true",
    "2001:db8::, 32, 2001:db9::1, false",
    "2001:db8::8000, 113, 2001:db8::8001, true",
    "2001:db8::8000, 113, 2001:db8::1, false"
  })
  void containsAddressesWithItsPrefix(String address, int bits, String other, boolean isIn) {
    AddressRange range = new AddressRange(InetAddress.ofLiteral(address), bits);
    assertThat(range.contains(InetAddress.ofLiteral(other))).isEqualTo(isIn);
  }

  @Test
  void rejectsPrefixesLongerThanTheAddress() {
    assertThatThrownBy(() -> new AddressRange(InetAddress.ofLiteral("192.0.2.0"), 33))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("prefix length must be from 0 to 32");
  }
}
