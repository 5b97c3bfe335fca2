// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.resample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class NewAddressesPropertyTest {
  private static final Set<AddressClass> IPV4 =
      EnumSet.of(
          AddressClass.GLOBAL4,
          AddressClass.PRIVATE4,
          AddressClass.LOOPBACK4,
          AddressClass.LINK_LOCAL4);
  private static final Set<AddressClass> IPV6 =
      EnumSet.of(
          AddressClass.GLOBAL6,
          AddressClass.PRIVATE6,
          AddressClass.LINK_LOCAL6,
          AddressClass.NEIGHBOUR6);

  private static NewAddresses addresses(long key, int most) {
    int[] counts = new int[AddressClass.ALL.length];
    Arrays.fill(counts, most);
    return new NewAddresses(key, counts);
  }

  @Property(tries = 50)
  void shouldKeepClassesAndGiveNoAddressTwice(
      @ForAll long key, @ForAll @IntRange(min = 1, max = 30) int most) {
    NewAddresses addresses = addresses(key, most);
    for (AddressClass kind : IPV4) {
      Set<Integer> given = new HashSet<>();
      for (int instance = 0; instance < 100; instance++) {
        for (int number = 0; number < most; number++) {
          int address = addresses.ipv4(kind, instance, number);
          assertThat(AddressClass.of4(address)).isEqualTo(kind);
          assertThat(given.add(address)).isTrue();
        }
      }
    }
    for (AddressClass kind : IPV6) {
      Set<String> given = new HashSet<>();
      for (int instance = 0; instance < 100; instance++) {
        long high = addresses.ipv6High(kind, instance);
        for (int number = 0; number < most; number++) {
          long low = addresses.ipv6Low(kind, instance, number);
          assertThat(AddressClass.of6(high, low)).isEqualTo(kind);
          assertThat(given.add(high + " " + low)).isTrue();
        }
      }
    }
  }

  @Test
  void shouldGiveEveryAddressOfAClassOnce() {
    NewAddresses addresses = addresses(7, 1);
    BitSet given = new BitSet();
    for (int instance = 0; instance < 1 << 16; instance++) {
      given.set(addresses.ipv4(AddressClass.LINK_LOCAL4, instance, 0) & 0xFFFF);
    }
    assertThat(given.cardinality()).isEqualTo(1 << 16);
  }

  @Test
  void shouldTellClassesApart() {
    assertThat(AddressClass.of4(0x08080808)).isEqualTo(AddressClass.GLOBAL4);
    assertThat(AddressClass.of4(0x0A000001)).isEqualTo(AddressClass.PRIVATE4);
    assertThat(AddressClass.of4(0xAC1F0001)).isEqualTo(AddressClass.PRIVATE4);
    assertThat(AddressClass.of4(0xAC200001)).isEqualTo(AddressClass.GLOBAL4);
    assertThat(AddressClass.of4(0xC0A80001)).isEqualTo(AddressClass.PRIVATE4);
    assertThat(AddressClass.of4(0xA9FE0101)).isEqualTo(AddressClass.LINK_LOCAL4);
    assertThat(AddressClass.of4(0xE00000FB)).isEqualTo(AddressClass.FIXED);
    assertThat(AddressClass.of4(-1)).isEqualTo(AddressClass.FIXED);
    assertThat(AddressClass.of6(0, 1)).isEqualTo(AddressClass.FIXED);
    assertThat(AddressClass.of6(0xFE80_0000_0000_0000L, 5)).isEqualTo(AddressClass.LINK_LOCAL6);
    assertThat(AddressClass.of6(0xFD12_0000_0000_0000L, 5)).isEqualTo(AddressClass.PRIVATE6);
    assertThat(AddressClass.of6(0x2001_0DB8_0000_0000L, 5)).isEqualTo(AddressClass.GLOBAL6);
    assertThat(AddressClass.of6(0xFF02_0000_0000_0000L, 0xFB)).isEqualTo(AddressClass.FIXED);
    assertThat(AddressClass.of6(0xFF02_0000_0000_0000L, 0x1_FF12_3456L))
        .isEqualTo(AddressClass.NEIGHBOUR6);
  }
}
