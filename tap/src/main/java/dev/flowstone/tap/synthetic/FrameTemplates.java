// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The first {@value #FRAME_BYTES} bytes of a frame for each slot and direction, complete but for
 * what changes from packet to packet: lengths, TCP sequence, acknowledgement and flags.
 *
 * <p>Lengths are 0 and the IPv4 checksum is right for length 0, so a writer adds the length to it.
 * IPv4 identification stays 0 with "don't fragment", as RFC 6864 allows. TCP, UDP and ICMP
 * checksums are 0 throughout: payloads are not generated, so no checksum over them could be right.
 */
final class FrameTemplates {
  static final int FRAME_BYTES = 128;
  static final int FRAME_SHIFT = 7;
  static final int TCP_BYTES = 32;
  static final int UDP_BYTES = 8;
  static final int ICMP_BYTES = 8;
  static final int ARP_FRAME_BYTES = 42;

  static final ValueLayout.OfShort SHORT = JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  static final ValueLayout.OfInt INT = JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  static final ValueLayout.OfLong LONG = JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private static final int ETHERNET_BYTES = 14;
  private static final int VLAN_BYTES = 4;
  private static final int IPV4_BYTES = 20;
  private static final int IPV6_BYTES = 40;
  private static final int TCP_WORDS = TCP_BYTES / 4;
  private static final int NO_OPERATION = 1;

  private final TrafficPlan plan;
  private final Endpoints endpoints;
  private final MemorySegment frames;

  FrameTemplates(Arena arena, TrafficPlan plan, Endpoints endpoints, XorShift random) {
    this.plan = plan;
    this.endpoints = endpoints;
    frames = arena.allocate((long) plan.slots() * 2 * FRAME_BYTES, FRAME_BYTES);
    for (int slot = 0; slot < plan.slots(); slot++) {
      int vlanId = random.between(100, 199);
      build(slot, 0, vlanId, random);
      build(slot, 1, vlanId, random);
      updateClient(slot);
    }
  }

  MemorySegment segment() {
    return frames;
  }

  static long offset(int slot, int direction) {
    return (2L * slot + direction) << FRAME_SHIFT;
  }

  int networkOffset(int slot) {
    return plan.vlan(slot) ? ETHERNET_BYTES + VLAN_BYTES : ETHERNET_BYTES;
  }

  int transportOffset(int slot) {
    return networkOffset(slot) + (plan.ipv6(slot) ? IPV6_BYTES : IPV4_BYTES);
  }

  /** Takes over the slot's present client address and port. */
  void updateClient(int slot) {
    Conversation conversation = plan.conversation(slot);
    if (conversation == Conversation.ARP) {
      return;
    }
    for (int direction = 0; direction < 2; direction++) {
      long network = offset(slot, direction) + networkOffset(slot);
      if (plan.ipv6(slot)) {
        long source = network + 8;
        frames.set(INT, source + 12 + 16L * direction, endpoints.clientNumber(slot));
      } else {
        frames.set(INT, network + 12 + 4L * direction, endpoints.clientV4(slot));
        sealIpv4(network);
      }
      if (conversation.hasPorts()) {
        long transport = offset(slot, direction) + transportOffset(slot);
        frames.set(SHORT, transport + 2L * direction, (short) endpoints.clientPort(slot));
      }
    }
  }

  private void build(int slot, int direction, int vlanId, XorShift random) {
    long frame = offset(slot, direction);
    boolean ipv6 = plan.ipv6(slot);
    writeMacs(frame, direction);
    if (plan.conversation(slot) == Conversation.ARP) {
      writeArp(frame, direction);
      return;
    }
    long network = frame + networkOffset(slot);
    if (plan.vlan(slot)) {
      frames.set(SHORT, frame + 12, (short) 0x8100);
      frames.set(SHORT, frame + 14, (short) vlanId);
    }
    frames.set(SHORT, network - 2, (short) (ipv6 ? 0x86dd : 0x0800));
    if (ipv6) {
      writeIpv6(network, slot, direction);
    } else {
      writeIpv4(network, slot, direction);
    }
    writeTransport(frame + transportOffset(slot), slot, direction, random);
  }

  private void writeMacs(long frame, int direction) {
    frames.set(INT, frame, 0x0200_0000);
    frames.set(SHORT, frame + 4, (short) (2 - direction));
    frames.set(INT, frame + 6, 0x0200_0000);
    frames.set(SHORT, frame + 10, (short) (1 + direction));
  }

  private void writeArp(long frame, int direction) {
    frames.set(SHORT, frame + 12, (short) 0x0806);
    frames.set(LONG, frame + 14, 0x0001_0800_0604_0001L + direction);
    frames.set(INT, frame + 22, 0x0200_0000);
    frames.set(SHORT, frame + 26, (short) (1 + direction));
    frames.set(INT, frame + 28, 0xc000_0201 + direction); // 192.0.2.1 asks for 192.0.2.2
    frames.set(INT, frame + 38, 0xc000_0202 - direction);
  }

  private void writeIpv4(long network, int slot, int direction) {
    frames.set(SHORT, network, (short) 0x4500);
    frames.set(SHORT, network + 6, (short) 0x4000);
    frames.set(JAVA_BYTE, network + 8, (byte) (64 - 7 * direction));
    frames.set(JAVA_BYTE, network + 9, (byte) plan.protocol(slot));
    frames.set(INT, network + 16 - 4L * direction, endpoints.serverV4(slot));
  }

  private void writeIpv6(long network, int slot, int direction) {
    frames.set(INT, network, 0x6000_0000);
    frames.set(JAVA_BYTE, network + 6, (byte) plan.protocol(slot));
    frames.set(JAVA_BYTE, network + 7, (byte) (64 - 7 * direction));
    long client = network + 8 + 16L * direction;
    long server = network + 24 - 16L * direction;
    frames.set(LONG, client, Endpoints.clientNetworkV6());
    frames.set(LONG, server, Endpoints.serverNetworkV6());
    frames.set(INT, server + 12, Endpoints.serverNumber(slot));
  }

  private void writeTransport(long transport, int slot, int direction, XorShift random) {
    Conversation conversation = plan.conversation(slot);
    if (conversation.hasPorts()) {
      frames.set(SHORT, transport + 2 - 2L * direction, (short) endpoints.serverPort(slot));
    }
    if (conversation.isTcp()) {
      frames.set(JAVA_BYTE, transport + 12, (byte) (TCP_WORDS << 4));
      frames.set(SHORT, transport + 14, (short) random.between(500, 65_000));
      frames.asSlice(transport + 20, TCP_BYTES - 20).fill((byte) NO_OPERATION);
    } else if (conversation == Conversation.ICMP) {
      int request = plan.ipv6(slot) ? 128 : 8;
      int reply = plan.ipv6(slot) ? 129 : 0;
      frames.set(JAVA_BYTE, transport, (byte) (direction == 0 ? request : reply));
      frames.set(SHORT, transport + 4, (short) slot);
    }
  }

  /** Writes the checksum of the IPv4 header with total length 0. */
  private void sealIpv4(long network) {
    frames.set(SHORT, network + 10, (short) 0);
    int sum = 0;
    for (int i = 0; i < IPV4_BYTES; i += 2) {
      sum += frames.get(SHORT, network + i) & 0xffff;
    }
    frames.set(SHORT, network + 10, (short) ~fold(sum));
  }

  /** The one's complement sum in 16 bits. */
  static int fold(int sum) {
    int once = (sum & 0xffff) + (sum >>> 16);
    return (once & 0xffff) + (once >>> 16);
  }
}
