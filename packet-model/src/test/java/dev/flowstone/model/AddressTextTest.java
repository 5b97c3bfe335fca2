// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressTextTest {
  /** Cases of RFC 5952: the longest run, the first of equals, no single group, lower case. */
  @ParameterizedTest
  @CsvSource({
    "0, 0, ::",
    "0, 1, ::1",
    "2001:db8:0:0, 0:0:0:1, 2001:db8::1",
    "2001:db8:0:0, 1:0:0:1, 2001:db8::1:0:0:1",
    "2001:db8:0:1, 1:1:1:1, 2001:db8:0:1:1:1:1:1",
    "2001:0:0:1, 0:0:0:1, 2001:0:0:1::1",
    "fe80:0:0:0, 0:0:0:0, fe80::",
    "0:0:0:1, ABCD:EF01:2345:6789, ::1:abcd:ef01:2345:6789",
    "0, 0:FFFF:C000:0201, ::ffff:192.0.2.1",
    "0, 0:0:C000:0201, ::c000:201",
    "1:2:3:4, 5:6:7:8, 1:2:3:4:5:6:7:8",
  })
  void shouldWriteTheCanonicalForm(String high, String low, String text) {
    assertThat(AddressText.of(half(high), half(low), false)).isEqualTo(text);
  }

  @Property
  void shouldBeReadBackAsTheSameAddress(@ForAll long high, @ForAll long low) throws Exception {
    byte[] address = ByteBuffer.allocate(16).putLong(high).putLong(low).array();

    assertThat(InetAddress.ofLiteral(AddressText.of(high, low, false)).getAddress())
        .isEqualTo(address);
  }

  /** Few distinct groups, so that runs of zeros come in all shapes. */
  @Property
  void shouldBeReadBackWhereverTheZerosAre(@ForAll byte zeroGroups) throws Exception {
    ByteBuffer address = ByteBuffer.allocate(16);
    for (int group = 0; group < 8; group++) {
      address.putShort((short) (zeroGroups >>> group & 1));
    }
    String text = AddressText.of(address.getLong(0), address.getLong(8), false);

    assertThat(InetAddress.ofLiteral(text).getAddress()).isEqualTo(address.array());
  }

  @Property
  void shouldWriteIpv4Dotted(@ForAll int address) throws Exception {
    byte[] bytes = ByteBuffer.allocate(4).putInt(address).array();

    assertThat(AddressText.of(0, 0xffff_0000_0000L | Integer.toUnsignedLong(address), true))
        .isEqualTo(InetAddress.getByAddress(bytes).getHostAddress());
  }

  private static long half(String groups) {
    long half = 0;
    for (String group : groups.split(":", -1)) {
      half = half << 16 | Long.parseLong(group, 16);
    }
    return half;
  }
}
