// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import java.nio.ByteBuffer;

/** One frame read byte by byte, with no help from the code that wrote it. */
record ParsedFrame(
    long timeNs,
    int wireBytes,
    int capturedBytes,
    boolean tagged,
    int version,
    String source,
    String destination,
    int protocol,
    int sourcePort,
    int destinationPort,
    int flags,
    int sequence,
    int acknowledgement,
    int payloadBytes,
    boolean checksumHolds,
    int contentBytes) {

  private static final int TCP = 6;
  private static final int UDP = 17;

  static ParsedFrame of(ByteBuffer frame, long timeNs, int wireBytes) {
    int captured = frame.limit();
    int at = 12;
    int type = unsigned(frame, at);
    boolean tagged = type == 0x8100;
    if (tagged) {
      at += 4;
      type = unsigned(frame, at);
    }
    at += 2;
    return switch (type) {
      case 0x0806 -> nonIp(timeNs, wireBytes, captured);
      case 0x0800 -> ipv4(frame, at, timeNs, wireBytes, tagged);
      case 0x86dd -> ipv6(frame, at, timeNs, wireBytes, tagged);
      default -> throw new AssertionError("unexpected Ethernet type " + Integer.toHexString(type));
    };
  }

  String flow() {
    return source + " " + destination + " " + protocol + " " + sourcePort + " " + destinationPort;
  }

  String reverseFlow() {
    return destination + " " + source + " " + protocol + " " + destinationPort + " " + sourcePort;
  }

  String conversation() {
    String flow = flow();
    String reverse = reverseFlow();
    return flow.compareTo(reverse) < 0 ? flow : reverse;
  }

  boolean isTcp() {
    return protocol == TCP;
  }

  boolean isUdp() {
    return protocol == UDP;
  }

  private static ParsedFrame nonIp(long timeNs, int wireBytes, int captured) {
    return new ParsedFrame(
        timeNs, wireBytes, captured, false, 0, "", "", 0, 0, 0, 0, 0, 0, 0, true, 42);
  }

  private static ParsedFrame ipv4(
      ByteBuffer frame, int at, long timeNs, int wireBytes, boolean tagged) {
    int headerBytes = (frame.get(at) & 15) * 4;
    long sum = 0;
    for (int i = 0; i < headerBytes; i += 2) {
      sum += unsigned(frame, at + i);
    }
    while (sum > 0xffff) {
      sum = (sum & 0xffff) + (sum >>> 16);
    }
    int totalBytes = unsigned(frame, at + 2);
    return transport(
        frame,
        at + headerBytes,
        totalBytes - headerBytes,
        frame.get(at + 9) & 255,
        new Network(4, ipv4Text(frame, at + 12), ipv4Text(frame, at + 16), sum == 0xffff),
        timeNs,
        wireBytes,
        tagged);
  }

  private static ParsedFrame ipv6(
      ByteBuffer frame, int at, long timeNs, int wireBytes, boolean tagged) {
    return transport(
        frame,
        at + 40,
        unsigned(frame, at + 4),
        frame.get(at + 6) & 255,
        new Network(6, ipv6Text(frame, at + 8), ipv6Text(frame, at + 24), true),
        timeNs,
        wireBytes,
        tagged);
  }

  private record Network(int version, String source, String destination, boolean checksumHolds) {}

  private static ParsedFrame transport(
      ByteBuffer frame,
      int at,
      int transportBytes,
      int protocol,
      Network network,
      long timeNs,
      int wireBytes,
      boolean tagged) {
    boolean tcp = protocol == TCP;
    boolean ports = tcp || protocol == UDP;
    int headerBytes = tcp ? (frame.get(at + 12) >> 4 & 15) * 4 : 8;
    if (protocol == UDP && unsigned(frame, at + 4) != transportBytes) {
      throw new AssertionError("UDP length differs from that of IP");
    }
    return new ParsedFrame(
        timeNs,
        wireBytes,
        frame.limit(),
        tagged,
        network.version,
        network.source,
        network.destination,
        protocol,
        ports ? unsigned(frame, at) : 0,
        ports ? unsigned(frame, at + 2) : 0,
        tcp ? frame.get(at + 13) & 255 : 0,
        tcp ? frame.getInt(at + 4) : 0,
        tcp ? frame.getInt(at + 8) : 0,
        transportBytes - headerBytes,
        network.checksumHolds,
        at + transportBytes);
  }

  private static int unsigned(ByteBuffer frame, int at) {
    return frame.getShort(at) & 0xffff;
  }

  private static String ipv4Text(ByteBuffer frame, int at) {
    return (frame.get(at) & 255)
        + "."
        + (frame.get(at + 1) & 255)
        + "."
        + (frame.get(at + 2) & 255)
        + "."
        + (frame.get(at + 3) & 255);
  }

  /** All eight groups; {@link java.net.InetAddress} prints them the same way. */
  private static String ipv6Text(ByteBuffer frame, int at) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 8; i++) {
      text.append(i == 0 ? "" : ":").append(Integer.toHexString(unsigned(frame, at + 2 * i)));
    }
    return text.toString();
  }
}
