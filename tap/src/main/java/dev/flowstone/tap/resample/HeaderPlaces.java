// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.resample;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Where a frame has what another instance has otherwise: addresses, ports, checksums. The parser
 * knows all link types and says which addresses a packet has; they stand where an IP header with
 * these very addresses and this time to live does.
 */
final class HeaderPlaces {
  static final int NOWHERE = 0;

  static final int IPV4_SOURCE = 12;
  static final int IPV4_CHECKSUM = 10;
  static final int IPV6_SOURCE = 8;
  static final int IPV4_ADDRESS_BYTES = 4;
  static final int IPV6_ADDRESS_BYTES = 16;

  static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private static final int IPV4_BYTES = 20;
  private static final int IPV6_BYTES = 40;
  private static final int IPV6_NEXT_HEADER = 6;
  private static final int TIME_TO_LIVE4 = 8;
  private static final int TIME_TO_LIVE6 = 7;
  private static final int MOST_EXTENSION_HEADERS = 16;

  private static final int NAMED_ADDRESS = 4;
  private static final int NAMED_ADDRESS_END = NAMED_ADDRESS + IPV4_ADDRESS_BYTES;
  private static final int ICMP_REDIRECT = 5;
  private static final int ICMP_CHECKSUM = 2;
  private static final int OSPF_CHECKSUM = 12;

  private static final int HOP_BY_HOP = 0;
  private static final int ICMP = 1;
  private static final int TCP = 6;
  private static final int UDP = 17;
  private static final int DCCP = 33;
  private static final int ROUTING = 43;
  private static final int FRAGMENT = 44;
  private static final int AUTHENTICATION = 51;
  private static final int ICMP6 = 58;
  private static final int DESTINATION_OPTIONS = 60;
  private static final int OSPF = 89;
  private static final int UDP_LITE = 136;

  private boolean ipv6;
  private int ip;
  private int ports;
  private int checksum;
  private int namedAddress;
  private int namedAddressChecksum;
  private boolean zeroMeansNone;
  private boolean destinationIsUnderWay;

  /**
   * Looks at a frame; false where no address can be changed.
   *
   * @param record what the parser says of it
   */
  boolean find(MemorySegment frame, MemorySegment record) {
    int descriptor = PacketRecord.descriptor(record, 0);
    int kind = PacketRecord.kind(descriptor);
    ipv6 = kind == RecordKind.IPV6 || kind == RecordKind.IPV6_ENCAPSULATED;
    ports = NOWHERE;
    checksum = NOWHERE;
    namedAddress = NOWHERE;
    zeroMeansNone = false;
    destinationIsUnderWay = false;
    if (kind == RecordKind.OTHER || !findIp(frame, record)) {
      return false;
    }
    int transport = ipv6 ? behindExtensions(frame) : ip + ipv4HeaderBytes(frame);
    if (transport != NOWHERE && !PacketRecord.isLaterFragment(descriptor)) {
      int protocol = PacketRecord.protocol(record, 0);
      findTransport(frame, transport, protocol);
      findNamedAddress(frame, transport, protocol);
    }
    return true;
  }

  private boolean findIp(MemorySegment frame, MemorySegment record) {
    int headerBytes = ipv6 ? IPV6_BYTES : IPV4_BYTES;
    for (ip = 0; ip + headerBytes <= frame.byteSize(); ip++) {
      if (ipv6 ? isIpv6(frame, record) : isIpv4(frame, record)) {
        return true;
      }
    }
    return false;
  }

  private boolean isIpv4(MemorySegment frame, MemorySegment record) {
    return u8(frame, ip) >>> 4 == 4
        && u8(frame, ip + TIME_TO_LIVE4) == PacketRecord.timeToLive(record, 0)
        && frame.get(INT, ip + IPV4_SOURCE) == (int) PacketRecord.sourceAddressLow(record, 0)
        && frame.get(INT, ip + IPV4_SOURCE + IPV4_ADDRESS_BYTES)
            == (int) PacketRecord.destinationAddressLow(record, 0);
  }

  private boolean isIpv6(MemorySegment frame, MemorySegment record) {
    int destination = ip + IPV6_SOURCE + IPV6_ADDRESS_BYTES;
    return u8(frame, ip) >>> 4 == 6
        && u8(frame, ip + TIME_TO_LIVE6) == PacketRecord.timeToLive(record, 0)
        && frame.get(LONG, ip + IPV6_SOURCE) == PacketRecord.sourceAddressHigh(record, 0)
        && frame.get(LONG, ip + IPV6_SOURCE + Long.BYTES)
            == PacketRecord.sourceAddressLow(record, 0)
        && frame.get(LONG, destination) == PacketRecord.destinationAddressHigh(record, 0)
        && frame.get(LONG, destination + Long.BYTES)
            == PacketRecord.destinationAddressLow(record, 0);
  }

  private int ipv4HeaderBytes(MemorySegment frame) {
    return (u8(frame, ip) & 0xF) * Integer.BYTES;
  }

  /** The end of the extension headers; {@link #NOWHERE} when the frame ends before. */
  private int behindExtensions(MemorySegment frame) {
    int next = u8(frame, ip + IPV6_NEXT_HEADER);
    int position = ip + IPV6_BYTES;
    for (int i = 0; i < MOST_EXTENSION_HEADERS && isExtension(next); i++) {
      if (position + Long.BYTES > frame.byteSize()) {
        return NOWHERE;
      }
      // A checksum is over the last address of a route, which is not the header's until then.
      destinationIsUnderWay |= next == ROUTING && u8(frame, position + 3) > 0;
      int length = u8(frame, position + 1);
      int bytes =
          switch (next) {
            case FRAGMENT -> Long.BYTES;
            case AUTHENTICATION -> (length + 2) * Integer.BYTES;
            default -> (length + 1) * Long.BYTES;
          };
      next = u8(frame, position);
      position += bytes;
    }
    return position;
  }

  private static boolean isExtension(int header) {
    return header == HOP_BY_HOP
        || header == ROUTING
        || header == FRAGMENT
        || header == AUTHENTICATION
        || header == DESTINATION_OPTIONS;
  }

  /** The checksum of SCTP is over its header and not over addresses: its ports stay. */
  private void findTransport(MemorySegment frame, int transport, int protocol) {
    int checksumOffset =
        switch (protocol) {
          case TCP -> 16;
          case UDP, UDP_LITE, DCCP -> 6;
          case ICMP6 -> ipv6 ? 2 : NOWHERE;
          default -> NOWHERE;
        };
    if (checksumOffset == NOWHERE) {
      return;
    }
    if (transport + checksumOffset + Short.BYTES <= frame.byteSize()) {
      checksum = transport + checksumOffset;
      zeroMeansNone = protocol == UDP;
    }
    if (protocol != ICMP6 && transport + Integer.BYTES <= frame.byteSize()) {
      ports = transport;
    }
  }

  /** A record shows the first eight bytes behind an IP header: an OSPF router, a new gateway. */
  private void findNamedAddress(MemorySegment frame, int transport, int protocol) {
    if (transport + NAMED_ADDRESS_END > frame.byteSize()) {
      return;
    }
    if (protocol == OSPF) {
      namedAddress = transport + NAMED_ADDRESS;
      namedAddressChecksum = transport + OSPF_CHECKSUM;
    } else if (protocol == ICMP && u8(frame, transport) == ICMP_REDIRECT) {
      namedAddress = transport + NAMED_ADDRESS;
      namedAddressChecksum = transport + ICMP_CHECKSUM;
    }
  }

  private static int u8(MemorySegment frame, int offset) {
    return Byte.toUnsignedInt(frame.get(JAVA_BYTE, offset));
  }

  boolean isIpv6() {
    return ipv6;
  }

  /** Where the source's address is; the destination's is behind it. */
  int addresses() {
    return ip + (ipv6 ? IPV6_SOURCE : IPV4_SOURCE);
  }

  /** Where the source's port is; {@link #NOWHERE} when ports are not to be changed. */
  int ports() {
    return ports;
  }

  /** Where a checksum is that covers addresses; {@link #NOWHERE} when there is none. */
  int checksum() {
    return checksum;
  }

  /** Where somebody else's IPv4 address is that a record would show; {@link #NOWHERE}: none is. */
  int namedAddress() {
    return namedAddress;
  }

  /** Where the checksum over that address is. */
  int namedAddressChecksum() {
    return namedAddressChecksum;
  }

  /** Whether the checksum is UDP's, of which 0 means that there is none. */
  boolean zeroMeansNone() {
    return zeroMeansNone;
  }

  /** Whether the checksum does not cover the destination's address. */
  boolean destinationIsUnderWay() {
    return destinationIsUnderWay;
  }
}
