// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The first {@value #BYTES} bytes of a flow's frames in one direction, written once and patched in
 * copies. IPv4 header checksums are right; those of TCP, UDP and ICMP are zero. A tagged IPv6 frame
 * has the longest headers: 18 bytes, 40 and 20 of TCP.
 */
final class FrameTemplate {
  static final int BYTES = 80;
  static final byte PAYLOAD_BYTE = 0x55;

  static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private static final int MAC_BYTES = 6;
  private static final int ETHERNET_BYTES = 14;
  private static final int VLAN_BYTES = 4;
  private static final int IPV4_BYTES = 20;
  private static final int IPV6_BYTES = 40;
  private static final int IPV4_LENGTH_OFFSET = 2;
  private static final int IPV4_CHECKSUM_OFFSET = 10;
  private static final int IPV6_LENGTH_OFFSET = 4;
  private static final int TIME_TO_LIVE = 64;

  final MemorySegment bytes;
  private int position;

  FrameTemplate(MemorySegment bytes) {
    this.bytes = bytes;
    bytes.fill(PAYLOAD_BYTE);
  }

  /** Writes the Ethernet header, with one VLAN tag unless the id is 0. */
  void ethernet(long destination, long source, int vlan, int etherType) {
    mac(destination);
    mac(source);
    if (vlan != 0) {
      u16(0x8100).u16(vlan);
    }
    u16(etherType);
  }

  void ethernet(Endpoint from, Endpoint to, FlowTraits traits) {
    ethernet(to.mac(), from.mac(), traits.vlan(), traits.ipv6() ? 0x86DD : 0x0800);
  }

  /** Writes the IP header of a datagram with this many bytes behind it. */
  void ip(Endpoint from, Endpoint to, FlowTraits traits, int payloadBytes) {
    int header = position;
    if (traits.ipv6()) {
      u32(0x6000_0000).u16(payloadBytes).u8(traits.ipProtocol()).u8(TIME_TO_LIVE);
    } else {
      u16(0x4500).u16(IPV4_BYTES + payloadBytes).u16(0).u16(0x4000);
      u8(TIME_TO_LIVE).u8(traits.ipProtocol()).u16(0);
    }
    raw(from.address()).raw(to.address());
    if (!traits.ipv6()) {
      bytes.set(SHORT, header + (long) IPV4_CHECKSUM_OFFSET, (short) ~fold(headerSum(header)));
    }
  }

  private int headerSum(int header) {
    int sum = 0;
    for (int i = 0; i < IPV4_BYTES; i += Short.BYTES) {
      sum += Short.toUnsignedInt(bytes.get(SHORT, header + i));
    }
    return sum;
  }

  /** Lets a written IP header say that so many bytes are behind it. */
  static void payloadBytes(MemorySegment frames, long ip, FlowTraits traits, int payloadBytes) {
    if (traits.ipv6()) {
      frames.set(SHORT, ip + IPV6_LENGTH_OFFSET, (short) payloadBytes);
      return;
    }
    int length = IPV4_BYTES + payloadBytes;
    int oldLength = Short.toUnsignedInt(frames.get(SHORT, ip + IPV4_LENGTH_OFFSET));
    int oldSum = ~frames.get(SHORT, ip + IPV4_CHECKSUM_OFFSET) & 0xFFFF;
    frames.set(SHORT, ip + IPV4_LENGTH_OFFSET, (short) length);
    // A header's checksum from the one before: equation 3 of RFC 1624.
    int sum = oldSum + (~oldLength & 0xFFFF) + length;
    frames.set(SHORT, ip + IPV4_CHECKSUM_OFFSET, (short) ~fold(sum));
  }

  /** Ones' complement sum of 16-bit words. */
  static int fold(int sum) {
    int once = (sum & 0xFFFF) + (sum >>> Short.SIZE);
    return (once & 0xFFFF) + (once >>> Short.SIZE);
  }

  static int ethernetBytes(FlowTraits traits) {
    return traits.vlan() != 0 ? ETHERNET_BYTES + VLAN_BYTES : ETHERNET_BYTES;
  }

  static int ipBytes(FlowTraits traits) {
    return traits.ipv6() ? IPV6_BYTES : IPV4_BYTES;
  }

  /** Where the next byte goes: the length of the headers so far. */
  int position() {
    return position;
  }

  private void mac(long address) {
    for (int i = MAC_BYTES - 1; i >= 0; i--) {
      u8((int) (address >>> (i * Byte.SIZE)));
    }
  }

  FrameTemplate u8(int value) {
    bytes.set(JAVA_BYTE, position, (byte) value);
    position += Byte.BYTES;
    return this;
  }

  FrameTemplate u16(int value) {
    bytes.set(SHORT, position, (short) value);
    position += Short.BYTES;
    return this;
  }

  FrameTemplate u32(int value) {
    bytes.set(INT, position, value);
    position += Integer.BYTES;
    return this;
  }

  FrameTemplate raw(byte... values) {
    for (byte value : values) {
      u8(value);
    }
    return this;
  }
}
