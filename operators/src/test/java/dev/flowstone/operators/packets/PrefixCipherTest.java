// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrefixCipherTest {
  /** The key of the sample program that the authors of Crypto-PAn published. */
  private static final int[] SAMPLE_KEY = {
    21, 34, 23, 141, 51, 164, 207, 128, 19, 10, 91, 22, 73, 144, 125, 16,
    216, 152, 143, 131, 121, 121, 101, 39, 98, 87, 76, 45, 42, 132, 34, 2
  };

  private final PrefixCipher cipher = new PrefixCipher(sampleKey());

  static byte[] sampleKey() {
    byte[] key = new byte[SAMPLE_KEY.length];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) SAMPLE_KEY[i];
    }
    return key;
  }

  private static int ipv4(String address) throws UnknownHostException {
    return ByteBuffer.wrap(Inet4Address.getByName(address).getAddress()).getInt();
  }

  /** Addresses of the trace that came with that program, and of the one that it made of it. */
  @ParameterizedTest
  @CsvSource({
    "128.11.68.132, 135.242.180.132",
    "129.118.74.4, 134.136.186.123",
    "130.132.252.244, 133.68.164.234",
    "141.223.7.43, 141.167.8.160",
    "152.163.225.39, 151.140.114.167",
    "165.247.96.84, 162.9.99.234",
    "192.102.249.13, 252.138.62.131",
    "192.41.57.43, 252.222.221.184",
    "199.217.79.101, 248.38.184.213",
    "207.105.49.5, 241.118.205.138",
    "208.147.89.59, 227.237.98.191",
    "216.227.10.221, 235.28.253.36",
    "24.0.250.221, 100.15.198.226",
    "24.13.62.231, 100.2.192.247",
    "38.15.67.68, 64.3.66.187",
    "4.3.88.225, 124.60.155.63",
    "63.195.241.44, 95.179.238.44",
    "64.14.118.196, 0.255.183.58",
    "64.39.15.238, 0.219.7.41",
    "10.185.25.118, 117.161.29.118"
  })
  void shouldChangeAddressesAsTheAuthorsOfCryptoPanDo(String address, String expected)
      throws UnknownHostException {
    assertThat(cipher.ipv4(ipv4(address))).isEqualTo(ipv4(expected));
  }

  /** As other implementations have it, which agree with each other. */
  @ParameterizedTest
  @CsvSource({
    "::1, 78ff:f001:9fc0:20df:8380:b1f1:704:ed",
    "::2, 78ff:f001:9fc0:20df:8380:b1f1:704:ef",
    "::ffff, 78ff:f001:9fc0:20df:8380:b1f1:704:f838",
    "2001:db8::1, 4401:2bc:603f:d91d:27f:ff8e:e6f1:dc1e",
    "2001:db8::2, 4401:2bc:603f:d91d:27f:ff8e:e6f1:dc1c"
  })
  void shouldChangeIpv6AsOthersDo(String address, String expected) throws UnknownHostException {
    ByteBuffer bytes = ByteBuffer.wrap(Inet6Address.getByName(address).getAddress());
    cipher.ipv6(bytes.getLong(), bytes.getLong());
    byte[] changed = ByteBuffer.allocate(16).putLong(cipher.high()).putLong(cipher.low()).array();
    assertThat(InetAddress.getByAddress(changed)).isEqualTo(Inet6Address.getByName(expected));
  }

  @Property(tries = 200)
  void shouldKeepTheLengthOfCommonPrefixes(@ForAll int one, @ForAll int other) {
    int before = Integer.numberOfLeadingZeros(one ^ other);
    int after = Integer.numberOfLeadingZeros(cipher.ipv4(one) ^ cipher.ipv4(other));
    assertThat(after).isEqualTo(before);
  }

  /** Random addresses hardly ever share more than a few bits: neighbours do. */
  @Property(tries = 200)
  void shouldKeepThePrefixesOfNeighbours(
      @ForAll long high, @ForAll long low, @ForAll int bitsAlike) {
    int bit = Math.floorMod(bitsAlike, 128);
    long otherHigh = bit < 64 ? high ^ (Long.MIN_VALUE >>> bit) : high;
    long otherLow = bit < 64 ? ~low : low ^ (Long.MIN_VALUE >>> (bit - 64));
    cipher.ipv6(high, low);
    long changedHigh = cipher.high();
    long changedLow = cipher.low();
    cipher.ipv6(otherHigh, otherLow);
    assertThat(commonBits(changedHigh ^ cipher.high(), changedLow ^ cipher.low())).isEqualTo(bit);
  }

  private static int commonBits(long differentHigh, long differentLow) {
    return differentHigh != 0
        ? Long.numberOfLeadingZeros(differentHigh)
        : 64 + Long.numberOfLeadingZeros(differentLow);
  }

  @Test
  void shouldGiveEachAddressAnotherOne() {
    Random random = new Random(1);
    Set<Integer> addresses = new HashSet<>();
    Set<Integer> changed = new HashSet<>();
    while (addresses.size() < 20_000) {
      int address = random.nextInt();
      addresses.add(address);
      changed.add(cipher.ipv4(address));
    }
    assertThat(changed).hasSameSizeAs(addresses);
  }
}
