// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class AddressPlanTest {
  private final SplittableRandom random = new SplittableRandom(5);
  private final AddressPlan clients = new AddressPlan(0, random);
  private final AddressPlan servers = new AddressPlan(1, random);

  @Test
  void shouldGiveEveryHostAnAddressOfItsOwn() {
    Set<Integer> addresses = new HashSet<>();
    Set<String> addresses6 = new HashSet<>();
    for (int host = 0; host < 40_000; host++) {
      for (AddressPlan plan : new AddressPlan[] {clients, servers}) {
        assertThat(addresses.add(plan.ipv4(host))).as("host %d", host).isTrue();
        // The first address of a part may be its network's own.
        assertThat(plan.ipv4(host) & 0x3FFF).isNotZero();
        assertThat(addresses6.add(plan.endpoint(host, true).text())).isTrue();
      }
    }
  }

  @Test
  void shouldGiveAllHostsOfAPartDistinctAddresses() {
    BitSet seen = new BitSet();
    int step = AddressPlan.MAX_HOSTS >> 14;
    for (int host = 7; host < AddressPlan.MAX_HOSTS; host += step) {
      int low = clients.ipv4(host) & 0x3FFF;
      assertThat(seen.get(low)).isFalse();
      seen.set(low);
    }
    assertThat(seen.cardinality()).isEqualTo(1 << 14);
  }

  @Test
  void shouldUseNoPrivateOrSpecialNetwork() {
    for (int host = 0; host < AddressPlan.MAX_HOSTS; host += 97) {
      int first = clients.ipv4(host) >>> 24;
      assertThat(first).isBetween(1, 223).isNotIn(10, 100, 127, 169, 172, 192, 198, 203);
    }
  }
}
