// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.TelemetryDatagramLayout;
import dev.flowstone.tap.datagram.DatagramHeader;
import java.net.Inet6Address;
import java.net.InetAddress;

/**
 * How long datagrams are that a path of some MTU carries in one piece.
 *
 * @param mtuBytes the longest IP packet of the path
 * @param headerBytes what IP and UDP take of it
 * @param tagBytes what the tag of a key takes of it
 */
public record DatagramSize(int mtuBytes, int headerBytes, int tagBytes) {
  /** Every IPv4 host takes packets of that length. */
  public static final int LEAST_MTU = 576;

  public static final int MOST_MTU = 65_535;

  /** What ports and switches call jumbo frames carry. */
  public static final int JUMBO_MTU = 9_000;

  private static final int IPV4_HEADER_BYTES = 20;
  private static final int IPV6_HEADER_BYTES = 40;
  private static final int UDP_HEADER_BYTES = 8;

  public static DatagramSize of(int mtuBytes, InetAddress to) {
    int ipBytes = to instanceof Inet6Address ? IPV6_HEADER_BYTES : IPV4_HEADER_BYTES;
    return new DatagramSize(mtuBytes, ipBytes + UDP_HEADER_BYTES, 0);
  }

  /** The same with the tag of a key in each datagram. */
  public DatagramSize withTag() {
    return new DatagramSize(mtuBytes, headerBytes, TelemetryDatagramLayout.TAG_BYTES);
  }

  /** Records in a datagram. */
  public int records() {
    int payloadBytes = Math.min(mtuBytes - headerBytes, TelemetryDatagramLayout.MOST_BYTES);
    int recordBytes = payloadBytes - DatagramHeader.BYTES - tagBytes;
    return (int) (recordBytes / PacketRecordLayout.SIZE_BYTES);
  }

  /** Bytes of a datagram that is full. */
  public int bytes() {
    return (int) (DatagramHeader.BYTES + records() * PacketRecordLayout.SIZE_BYTES) + tagBytes;
  }

  /** Bytes of the IP packet that carries a datagram that is full. */
  int packetBytes() {
    return bytes() + headerBytes;
  }
}
