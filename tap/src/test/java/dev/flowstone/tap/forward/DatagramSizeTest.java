// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatagramSizeTest {

  @ParameterizedTest
  @CsvSource({
    "9000, 192.0.2.1, 138, 8960",
    "9000, 2001:db8::1, 137, 8896",
    "1500, 192.0.2.1, 21, 1472",
    "1500, 2001:db8::1, 20, 1408",
    "576, 2001:db8::1, 6, 512",
    "65535, 192.0.2.1, 1021, 65472",
    "65535, 2001:db8::1, 1021, 65472"
  })
  void shouldFillThePacketsOfAPath(int mtu, String to, int records, int bytes) {
    DatagramSize size = DatagramSize.of(mtu, InetAddress.ofLiteral(to));
    assertThat(size.records()).isEqualTo(records);
    assertThat(size.bytes()).isEqualTo(bytes);
    assertThat(size.packetBytes()).isLessThanOrEqualTo(mtu);
  }

  @ParameterizedTest
  @CsvSource({
    "9000, 192.0.2.1, 137, 8912",
    "1500, 192.0.2.1, 20, 1424",
    "576, 2001:db8::1, 6, 528",
    "65535, 192.0.2.1, 1021, 65488"
  })
  void leavesSpaceForTheTag(int mtu, String to, int records, int bytes) {
    DatagramSize size = DatagramSize.of(mtu, InetAddress.ofLiteral(to)).withTag();
    assertThat(size.records()).isEqualTo(records);
    assertThat(size.bytes()).isEqualTo(bytes);
    assertThat(size.packetBytes()).isLessThanOrEqualTo(mtu);
  }
}
