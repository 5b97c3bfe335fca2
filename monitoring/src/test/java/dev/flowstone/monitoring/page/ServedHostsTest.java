// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ServedHostsTest {
  private static ServedHosts of(String address) throws Exception {
    return ServedHosts.of(address, InetAddress.getByName(address));
  }

  @Test
  void shouldServeThisMachineUnderItsOwnNames() throws Exception {
    ServedHosts hosts = of("localhost");
    assertThat(hosts.serves("localhost")).isTrue();
    assertThat(hosts.serves("LocalHost:8090")).isTrue();
    assertThat(hosts.serves("127.0.0.1:8090")).isTrue();
    assertThat(hosts.serves("[::1]:8090")).isTrue();
  }

  /** A page from elsewhere whose name leads here: the browser says that name. */
  @Test
  void shouldNotServeANameOfSomebodyElse() throws Exception {
    ServedHosts hosts = of("localhost");
    assertThat(hosts.serves("attacker.example:8090")).isFalse();
    assertThat(hosts.serves("localhost.attacker.example")).isFalse();
    assertThat(hosts.serves("192.0.2.7:8090")).isFalse();
    assertThat(hosts.serves("localhost:8090/../x")).isFalse();
    assertThat(hosts.serves("")).isFalse();
    assertThat(hosts.serves(null)).isFalse();
  }

  @Test
  void shouldServeTheAddressThatItIsBoundTo() throws Exception {
    ServedHosts hosts = new ServedHosts(Set.of("192.0.2.7"), false);
    assertThat(hosts.serves("192.0.2.7:8090")).isTrue();
    assertThat(hosts.serves("192.0.2.8:8090")).isFalse();
  }

  /** Of a machine's many addresses none is a name that somebody could have resolved to it. */
  @Test
  void shouldServeAnyAddressButNoNameWhereItIsBoundToAll() throws Exception {
    ServedHosts hosts = of("0.0.0.0");
    assertThat(hosts.serves("192.0.2.7:8090")).isTrue();
    assertThat(hosts.serves("[2001:db8::7]")).isTrue();
    assertThat(hosts.serves("attacker.example")).isFalse();
  }
}
