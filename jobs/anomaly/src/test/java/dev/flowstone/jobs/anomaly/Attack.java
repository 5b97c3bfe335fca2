// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.rules.function.Detector.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * An attack whose label is known: its kind, its subject, when it begins and ends. Packets come
 * evenly.
 */
record Attack(Kind kind, long beginNs, long endNs, int packetsPerSecond) {
  static final String VICTIM = "203.0.113.80";
  static final String SCANNER = "198.51.100.66";
  static final int SCANNED_PORT = 23;

  private static final long NS_PER_SECOND = 1_000_000_000;
  private static final int VICTIM_ADDRESS = 0xcb007150;
  private static final int SCANNER_ADDRESS = 0xc6336442;
  private static final int SPOOFED = 0xc6120000;
  private static final int SPOOFED_SOURCES = 1 << 16;
  private static final int ICMP = 1;
  private static final int DNS = 53;

  /** As results name it. */
  String subject() {
    return switch (kind) {
      case SYN_FLOOD, UDP_FLOOD, ICMP_FLOOD, RST_FLOOD, PORT_SCAN -> VICTIM;
      case AMPLIFICATION -> VICTIM + ":" + DNS;
      case HOST_SCAN -> SCANNER + ":" + SCANNED_PORT;
    };
  }

  /** In the order of time, with positions from 0 on. */
  List<TestPacket> packets(long stream) {
    Random random = new Random(packetsPerSecond);
    List<TestPacket> packets = new ArrayList<>();
    long total = (endNs - beginNs) / NS_PER_SECOND * packetsPerSecond;
    for (int i = 0; i < total; i++) {
      long timeNs = beginNs + i * NS_PER_SECOND / packetsPerSecond;
      packets.add(packet(i, random).at(timeNs, stream, i));
    }
    return packets;
  }

  private TestPacket packet(int number, Random random) {
    int spoofed = SPOOFED + random.nextInt(SPOOFED_SOURCES);
    int port = 1024 + random.nextInt(60_000);
    return switch (kind) {
      case SYN_FLOOD -> tcp(spoofed, VICTIM_ADDRESS, port, 80, TestPacket.SYN);
      case RST_FLOOD -> tcp(spoofed, VICTIM_ADDRESS, port, 80, TestPacket.RST);
      case UDP_FLOOD -> udp(spoofed, port, random.nextInt(1 << 16), 400);
      case ICMP_FLOOD -> packet(FlowTuple.ipv4(spoofed, VICTIM_ADDRESS, 0, 0, ICMP), 0, 56);
      case AMPLIFICATION -> udp(spoofed, DNS, port, 1400);
      case PORT_SCAN ->
          tcp(SCANNER_ADDRESS, VICTIM_ADDRESS, 40_000, 1 + number % 65_535, TestPacket.SYN);
      case HOST_SCAN -> tcp(SCANNER_ADDRESS, 0x0b000000 + number, 40_000, 23, TestPacket.SYN);
    };
  }

  private static TestPacket tcp(int source, int destination, int from, int to, int flags) {
    return packet(FlowTuple.ipv4(source, destination, from, to, TestPacket.TCP), flags, 0);
  }

  private static TestPacket udp(int source, int from, int to, int payloadLength) {
    return packet(
        FlowTuple.ipv4(source, VICTIM_ADDRESS, from, to, TestPacket.UDP), 0, payloadLength);
  }

  private static TestPacket packet(FlowTuple flow, int flags, int payloadLength) {
    return new TestPacket(0, 0, 0, flow, flags, payloadLength);
  }
}
