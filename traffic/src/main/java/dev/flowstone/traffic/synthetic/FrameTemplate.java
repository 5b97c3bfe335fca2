// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Writes the headers of a frame, one after the other. Lengths and checksums are left zero, and the
 * sums over all else are kept, from which they are made. The longest headers are those of a SYN
 * over IPv6: 14 bytes, 40 and 44 of TCP.
 */
final class FrameTemplate {
  static final int BYTES = 104;
  static final byte PAYLOAD_BYTE = 0x55;

  static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  static final long PAYLOAD_LONG = 0x0101_0101_0101_0101L * PAYLOAD_BYTE;

  /** The routers at both ends of the link. */
  private static final long NEAR_MAC = 0x0200_5E00_0001L;

  private static final long FAR_MAC = 0x0200_5E00_0002L;
  private static final int VLAN_TYPE = 0x8100;
  private static final int IPV4_TYPE = 0x0800;
  private static final int IPV6_TYPE = 0x86DD;
  static final int IPV4_BYTES = 20;
  private static final int IPV4_LENGTH_BEFORE_END = 18;
  private static final int IPV4_CHECKSUM_BEFORE_END = 10;
  private static final int IPV6_LENGTH_BEFORE_END = 36;
  private static final int TCP_CHECKSUM_OFFSET = 16;
  private static final int UDP_LENGTH_OFFSET = 4;
  private static final int UDP_CHECKSUM_OFFSET = 6;

  /** Version 4, five words of header. */
  private static final int IPV4_WORD = 0x4500;

  private static final int IPV6_WORD = 0x6000_0000;
  private static final int DONT_FRAGMENT = 0x4000;

  private MemorySegment frame;
  private long start;
  private long position;
  private int coveredBytes;
  private long ipSum;
  private long transportSum;

  /** Starts a frame at an offset of some memory: as yet it is all payload. */
  void begin(MemorySegment memory, long offset) {
    for (int i = 0; i < BYTES; i += Long.BYTES) {
      memory.set(LONG, offset + i, PAYLOAD_LONG);
    }
    goOn(memory, offset);
  }

  /** Goes on with a frame that has begun before, or starts one in memory that is all payload. */
  void goOn(MemorySegment memory, long offset) {
    frame = memory;
    start = offset;
    position = offset;
    ipSum = 0;
  }

  /** Writes the Ethernet header, with one VLAN tag unless the id is 0. */
  void ethernet(boolean fromClient, FlowTraits traits) {
    mac(fromClient ? FAR_MAC : NEAR_MAC);
    mac(fromClient ? NEAR_MAC : FAR_MAC);
    if (traits.vlan() != 0) {
      u16(VLAN_TYPE);
      u16(traits.vlan());
    }
    u16(traits.ipv6() ? IPV6_TYPE : IPV4_TYPE);
  }

  private void mac(long address) {
    u16((int) (address >>> Integer.SIZE));
    u32((int) address);
  }

  /**
   * Writes the IP header.
   *
   * @param label of IPv6
   */
  void ip(FlowTraits traits, int serviceType, int label, int timeToLive) {
    if (traits.ipv6()) {
      long first = IPV6_WORD | (serviceType << 20) | label;
      u64((first << Integer.SIZE) | (traits.ipProtocol() << Byte.SIZE) | timeToLive);
    } else {
      int service = IPV4_WORD | serviceType;
      int life = (timeToLive << Byte.SIZE) | traits.ipProtocol();
      u64(((long) service << (Long.SIZE - Short.SIZE)) | DONT_FRAGMENT);
      u32(life << Short.SIZE);
      ipSum = (long) service + DONT_FRAGMENT + life;
    }
    transportSum = traits.ipProtocol();
    coveredBytes = 0;
  }

  /** Writes an address of the IP header, the source's first. */
  void address(AddressPlan plan, int host, boolean ipv6) {
    if (ipv6) {
      long network = plan.ipv6Network(host);
      long lower = plan.ipv6Interface(host);
      u64(network);
      u64(lower);
      transportSum += Checksums.sum(network) + Checksums.sum(lower);
    } else {
      address(plan.ipv4(host));
    }
  }

  void address(int ipv4) {
    u32(ipv4);
    ipSum += Integer.toUnsignedLong(ipv4);
    transportSum += Integer.toUnsignedLong(ipv4);
  }

  /** The checksum of ICMP over IPv4 does not cover the IP header. */
  void withoutPseudoHeader() {
    transportSum = 0;
  }

  /** Writes a word of the transport header. */
  void covered(int word) {
    u32(word);
    transportSum += Integer.toUnsignedLong(word);
    coveredBytes += Integer.BYTES;
  }

  /** Leaves bytes of the transport header that are written later. */
  void skip(int bytes) {
    position += bytes;
  }

  /** Sum over the words of the IPv4 header without its length, 16 bits; 0 in IPv6. */
  int ipSum() {
    return Checksums.fold(ipSum);
  }

  /** Sum over the covered words of the transport header and the pseudo header without length. */
  int transportSum() {
    return Checksums.fold(transportSum);
  }

  /**
   * Lets the lengths and checksums of a TCP or UDP frame be right, whose transport header has
   * covered words only.
   *
   * @param transportBytes of header and payload
   */
  void finish(FlowTraits traits, int transportBytes) {
    boolean isTcp = traits.protocol() == FlowTraits.Protocol.TCP;
    long transport = start + traits.transportOffset();
    if (traits.ipv6()) {
      frame.set(SHORT, transport - IPV6_LENGTH_BEFORE_END, (short) transportBytes);
    } else {
      int length = IPV4_BYTES + transportBytes;
      frame.set(SHORT, transport - IPV4_LENGTH_BEFORE_END, (short) length);
      frame.set(SHORT, transport - IPV4_CHECKSUM_BEFORE_END, Checksums.of(ipSum + length));
    }
    long sum = transportSum + transportBytes + Checksums.payload(transportBytes - coveredBytes);
    if (isTcp) {
      frame.set(SHORT, transport + TCP_CHECKSUM_OFFSET, Checksums.of(sum));
    } else {
      frame.set(SHORT, transport + UDP_LENGTH_OFFSET, (short) transportBytes);
      frame.set(SHORT, transport + UDP_CHECKSUM_OFFSET, Checksums.ofUdp(sum + transportBytes));
    }
  }

  private void u16(int value) {
    frame.set(SHORT, position, (short) value);
    position += Short.BYTES;
  }

  private void u32(int value) {
    frame.set(INT, position, value);
    position += Integer.BYTES;
  }

  private void u64(long value) {
    frame.set(LONG, position, value);
    position += Long.BYTES;
  }
}
