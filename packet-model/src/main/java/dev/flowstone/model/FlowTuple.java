// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

import dev.flowstone.model.abi.OtherReason;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;

/**
 * The 5-tuple of a packet as it was sent. Addresses are 128-bit numbers in two halves, network byte
 * order; an IPv4 address is {@code ::ffff:a.b.c.d}. The IPv4 flag keeps apart an IPv4 packet and an
 * IPv6 packet that carries such addresses.
 *
 * <p>Every packet has one, so that who counts by flow counts them all. A packet without a readable
 * IP header, such as ARP, has what its record says: addresses and protocol 0, the reason ({@link
 * OtherReason}) in place of the source port, the EtherType in place of the destination port. So
 * packets of one EtherType are one flow; {@link #isIp} tells it from others.
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
    implements Comparable<FlowTuple>, Serializable {

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
   * The tuple of a packet's record, whether its kind is IP or not.
   *
   * @throws IllegalArgumentException if the record is not a packet's
   */
  public static FlowTuple of(MemorySegment segment, long offsetBytes) {
    int kind = PacketRecord.kind(PacketRecord.descriptor(segment, offsetBytes));
    if (!PacketRecord.isPacket(kind)) {
      throw new IllegalArgumentException(
          "record at byte " + offsetBytes + " is not a packet's: kind=" + kind);
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

  /** Whether it is the tuple of this packet's record, found out without an object. */
  public boolean isOf(MemorySegment segment, long offsetBytes) {
    return sourceLow == PacketRecord.sourceAddressLow(segment, offsetBytes)
        && destinationLow == PacketRecord.destinationAddressLow(segment, offsetBytes)
        && sourcePort == PacketRecord.sourcePort(segment, offsetBytes)
        && destinationPort == PacketRecord.destinationPort(segment, offsetBytes)
        && protocol == PacketRecord.protocol(segment, offsetBytes)
        && sourceHigh == PacketRecord.sourceAddressHigh(segment, offsetBytes)
        && destinationHigh == PacketRecord.destinationAddressHigh(segment, offsetBytes)
        && ipv4
            == PacketRecord.isIpv4(
                PacketRecord.kind(PacketRecord.descriptor(segment, offsetBytes)));
  }

  /**
   * Whether these are really addresses and ports. Protocol 0, IPv6's hop-by-hop options, has no
   * ports, so that a reason in their place is told from an IPv6 packet without addresses.
   */
  public boolean isIp() {
    return isIp(sourceHigh, sourceLow, sourcePort, protocol);
  }

  static boolean isIp(long sourceHigh, long sourceLow, int sourcePort, int protocol) {
    return protocol != 0 || sourcePort == 0 || (sourceHigh | sourceLow) != 0;
  }

  /**
   * The same for both directions of a flow: the endpoint with the smaller address, port comes
   * first. Without IP itself: there is one direction.
   */
  public FlowTuple canonical() {
    return isSourceLower(
            sourceHigh, sourceLow, sourcePort, destinationHigh, destinationLow, destinationPort)
        ? this
        : reversed();
  }

  /** What the other endpoint sends; without IP itself. */
  public FlowTuple reversed() {
    if (!isIp()) {
      return this;
    }
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

  /** Flink assigns key groups by this hash. It must be the same in every JVM and version. */
  @Override
  public int hashCode() {
    int hash = Long.hashCode(sourceHigh);
    hash = hash * 31 + Long.hashCode(sourceLow);
    hash = hash * 31 + Long.hashCode(destinationHigh);
    hash = hash * 31 + Long.hashCode(destinationLow);
    hash = hash * 31 + sourcePort;
    hash = hash * 31 + destinationPort;
    hash = hash * 31 + protocol;
    return hash * 31 + Boolean.hashCode(ipv4);
  }

  /**
   * Defines an arbitrary total order. Senders can choose addresses with equal hashes, and {@link
   * java.util.HashMap} then finds keys by their order.
   */
  @Override
  public int compareTo(FlowTuple other) {
    int order = Long.compare(sourceLow, other.sourceLow);
    order = order != 0 ? order : Long.compare(destinationLow, other.destinationLow);
    order = order != 0 ? order : Integer.compare(sourcePort, other.sourcePort);
    order = order != 0 ? order : Integer.compare(destinationPort, other.destinationPort);
    order = order != 0 ? order : Long.compare(sourceHigh, other.sourceHigh);
    order = order != 0 ? order : Long.compare(destinationHigh, other.destinationHigh);
    order = order != 0 ? order : Integer.compare(protocol, other.protocol);
    return order != 0 ? order : Boolean.compare(ipv4, other.ipv4);
  }

  /** The source address as text, see {@link AddressText}. */
  public String sourceAddress() {
    return AddressText.of(sourceHigh, sourceLow, ipv4);
  }

  /** The destination address as text, see {@link AddressText}. */
  public String destinationAddress() {
    return AddressText.of(destinationHigh, destinationLow, ipv4);
  }

  /**
   * For people: {@code 192.0.2.1:49152 > 198.51.100.7:443 protocol 6}, IPv6 in brackets; {@code no
   * IP, EtherType 0x0806}, and the reason where it is another one than that.
   */
  @Override
  public String toString() {
    if (!isIp()) {
      return withoutIp();
    }
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

  private String withoutIp() {
    String number = String.format("0x%04x", destinationPort);
    return sourcePort == OtherReason.NOT_IP
        ? "no IP, EtherType " + number
        : "no IP, reason " + sourcePort + ", number " + number;
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
