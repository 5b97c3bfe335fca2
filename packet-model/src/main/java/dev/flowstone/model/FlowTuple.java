// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

import java.io.Serializable;
import java.lang.foreign.MemorySegment;

/**
 * The 5-tuple of a packet as it was sent. Addresses are 128-bit numbers in two halves, network byte
 * order; an IPv4 address is {@code ::ffff:a.b.c.d}. The IPv4 flag keeps apart an IPv4 packet and an
 * IPv6 packet that carries such addresses.
 */
public record FlowTuple(
    long sourceHigh,
    long sourceLow,
    long destinationHigh,
    long destinationLow,
    int sourcePort,
    int destinationPort,
    int protocol,
    boolean ipv4)
    implements Serializable {

  private static final long MAPPED_PREFIX = 0xffffL;

  public FlowTuple {
    checkRange("source port", sourcePort, 0xffff);
    checkRange("destination port", destinationPort, 0xffff);
    checkRange("protocol", protocol, 0xff);
    if (ipv4 && !(isMapped(sourceHigh, sourceLow) && isMapped(destinationHigh, destinationLow))) {
      throw new IllegalArgumentException(
          "an IPv4 tuple needs addresses of the form ::ffff:a.b.c.d: source="
              + AddressText.of(sourceHigh, sourceLow, false)
              + " destination="
              + AddressText.of(destinationHigh, destinationLow, false));
    }
  }

  /** The tuple of an IPv4 packet; an address is its four bytes as a big-endian number. */
  public static FlowTuple ipv4(
      int source, int destination, int sourcePort, int destinationPort, int protocol) {
    return new FlowTuple(
        0, mapped(source), 0, mapped(destination), sourcePort, destinationPort, protocol, true);
  }

  /**
   * The tuple of a record.
   *
   * @throws IllegalArgumentException if the record has none: its kind is not IP
   */
  public static FlowTuple of(MemorySegment segment, long offsetBytes) {
    int kind = PacketRecord.kind(PacketRecord.descriptor(segment, offsetBytes));
    if (!PacketRecord.isIp(kind)) {
      throw new IllegalArgumentException(
          "record at byte " + offsetBytes + " has no 5-tuple: kind=" + kind);
    }
    return new FlowTuple(
        PacketRecord.sourceAddressHigh(segment, offsetBytes),
        PacketRecord.sourceAddressLow(segment, offsetBytes),
        PacketRecord.destinationAddressHigh(segment, offsetBytes),
        PacketRecord.destinationAddressLow(segment, offsetBytes),
        PacketRecord.sourcePort(segment, offsetBytes),
        PacketRecord.destinationPort(segment, offsetBytes),
        PacketRecord.protocol(segment, offsetBytes),
        PacketRecord.isIpv4(kind));
  }

  /**
   * The same for both directions of a flow: the endpoint with the smaller address, port comes
   * first.
   */
  public FlowTuple canonical() {
    return isSourceLower(
            sourceHigh, sourceLow, sourcePort, destinationHigh, destinationLow, destinationPort)
        ? this
        : reversed();
  }

  /** What the other endpoint sends. */
  public FlowTuple reversed() {
    return new FlowTuple(
        destinationHigh,
        destinationLow,
        sourceHigh,
        sourceLow,
        destinationPort,
        sourcePort,
        protocol,
        ipv4);
  }

  /** The source address as text, see {@link AddressText}. */
  public String sourceAddress() {
    return AddressText.of(sourceHigh, sourceLow, ipv4);
  }

  /** The destination address as text, see {@link AddressText}. */
  public String destinationAddress() {
    return AddressText.of(destinationHigh, destinationLow, ipv4);
  }

  /** For people: {@code 192.0.2.1:49152 > 198.51.100.7:443 protocol 6}, IPv6 in brackets. */
  @Override
  public String toString() {
    return endpoint(sourceAddress(), sourcePort)
        + " > "
        + endpoint(destinationAddress(), destinationPort)
        + " protocol "
        + protocol;
  }

  /**
   * Order of endpoints: 16 address bytes as an unsigned number, then the port. Among IPv4 endpoints
   * this is the order of the four bytes, since the twelve before them are the same.
   */
  static boolean isSourceLower(
      long sourceHigh,
      long sourceLow,
      int sourcePort,
      long destinationHigh,
      long destinationLow,
      int destinationPort) {
    int order = Long.compareUnsigned(sourceHigh, destinationHigh);
    if (order == 0) {
      order = Long.compareUnsigned(sourceLow, destinationLow);
    }
    return order == 0 ? sourcePort <= destinationPort : order < 0;
  }

  private String endpoint(String address, int port) {
    return (ipv4 ? address : "[" + address + "]") + ":" + port;
  }

  private static long mapped(int ipv4Address) {
    return MAPPED_PREFIX << Integer.SIZE | Integer.toUnsignedLong(ipv4Address);
  }

  private static boolean isMapped(long high, long low) {
    return high == 0 && low >>> Integer.SIZE == MAPPED_PREFIX;
  }

  private static void checkRange(String what, int value, int maximum) {
    if (value < 0 || value > maximum) {
      throw new IllegalArgumentException(what + " must be 0 to " + maximum + ": " + value);
    }
  }
}
