// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * A flow without a state: so many packets from the client, then one from the server. UDP starts
 * anew from another port after a while; ICMP echo and ARP, which have no ports, go on for ever.
 */
final class ExchangeFlow extends Flow {
  private static final int UDP_HEADER_BYTES = 8;
  private static final int ICMP_HEADER_BYTES = 8;

  /** Long enough for both directions to be seen in every life. */
  private static final int SHORTEST_LIFE_PACKETS = 16;

  private static final int STREAM_PACKETS_PER_ANSWER = 7;

  /** Flows without sequence numbers have payload there, which is written as it is. */
  private static final int PAYLOAD_OFFSET = FrameTemplate.BYTES - Long.BYTES;

  private static final long PAYLOAD = 0x0101_0101_0101_0101L * FrameTemplate.PAYLOAD_BYTE;

  private final SplittableRandom random;
  private final int meanPackets;
  private int portOffset;

  ExchangeFlow(
      int rank,
      FlowTraits traits,
      Endpoint client,
      Endpoint server,
      FlowSizes sizes,
      FlowBlocks blocks,
      FlowLedger ledger,
      SplittableRandom random) {
    super(rank, traits, client, server, true, blocks, ledger);
    this.random = random;
    meanPackets = Math.max(2 * SHORTEST_LIFE_PACKETS, sizes.meanPackets());
    boolean stream = traits.protocol() == FlowTraits.Protocol.UDP && random.nextBoolean();
    if (hasPorts()) {
      clientPort = FIRST_CLIENT_PORT + random.nextInt(CLIENT_PORTS);
      serverPort = sizes.serverPort();
    }
    int turnPackets = stream ? STREAM_PACKETS_PER_ANSWER : 1;
    blocks.turnLeft(block, turnPackets);
    blocks.packetsLeft(block, drawLifePackets());
    blocks.sequences(block, PAYLOAD);
    int talkerWireBytes = template(true, sizes);
    int answererWireBytes = template(false, sizes);
    blocks.shape(
        block, TalkShape.pack(turnPackets, PAYLOAD_OFFSET, talkerWireBytes, answererWireBytes, 0));
  }

  private boolean hasPorts() {
    return traits.protocol() == FlowTraits.Protocol.UDP;
  }

  private int drawLifePackets() {
    return meanPackets / 2 + random.nextInt(meanPackets);
  }

  /** Writes a template and returns the length of its frames. */
  private int template(boolean fromClient, FlowSizes sizes) {
    FrameTemplate template = blocks.newTemplate(block, side(fromClient));
    Endpoint from = fromClient ? client : server;
    Endpoint to = fromClient ? server : client;
    return switch (traits.protocol()) {
      case UDP -> udp(template, fromClient, from, to, sizes);
      case ICMP -> icmp(template, fromClient, from, to, sizes);
      case ARP -> arp(template, fromClient, from, to, sizes);
      case TCP -> throw new IllegalArgumentException("TCP flows have a state");
    };
  }

  private int udp(
      FrameTemplate template, boolean fromClient, Endpoint from, Endpoint to, FlowSizes sizes) {
    template.ethernet(from, to, traits);
    portOffset = template.position() + FrameTemplate.ipBytes(traits);
    int payloadBytes = sizes.payloadBytes(portOffset + UDP_HEADER_BYTES, traits);
    template.ip(from, to, traits, UDP_HEADER_BYTES + payloadBytes);
    template.u16(fromClient ? clientPort : serverPort).u16(fromClient ? serverPort : clientPort);
    template.u16(UDP_HEADER_BYTES + payloadBytes).u16(0);
    return sizes.frameBytes(template.position() + payloadBytes);
  }

  private int icmp(
      FrameTemplate template, boolean fromClient, Endpoint from, Endpoint to, FlowSizes sizes) {
    template.ethernet(from, to, traits);
    int headers = template.position() + FrameTemplate.ipBytes(traits) + ICMP_HEADER_BYTES;
    int payloadBytes = sizes.payloadBytes(headers, traits);
    template.ip(from, to, traits, ICMP_HEADER_BYTES + payloadBytes);
    int echo = traits.ipv6() ? 128 : 8;
    int reply = traits.ipv6() ? 129 : 0;
    template.u8(fromClient ? echo : reply).u8(0).u16(0).u16(rank).u16(1);
    return sizes.frameBytes(headers + payloadBytes);
  }

  private int arp(
      FrameTemplate template, boolean fromClient, Endpoint from, Endpoint to, FlowSizes sizes) {
    template.ethernet(to.mac(), from.mac(), traits.vlan(), 0x0806);
    template.u16(1).u16(0x0800).u8(6).u8(4).u16(fromClient ? 1 : 2);
    template.u16((int) (from.mac() >>> 32)).u32((int) from.mac()).raw(from.address());
    template.u16((int) (to.mac() >>> 32)).u32((int) to.mac()).raw(to.address());
    return sizes.frameBytes(template.position());
  }

  @Override
  void talkEnded() {
    if (hasPorts()) {
      blocks.packetsLeft(block, drawLifePackets());
      blocks.turnLeft(block, TalkShape.turnPackets(blocks.shape(block)));
      endLife(portOffset);
    } else {
      blocks.packetsLeft(block, Integer.MAX_VALUE);
    }
  }

  @Override
  int writeControl(MemorySegment frames, long offset, long timeNs) {
    throw new IllegalStateException(
        "a flow without a state always talks: rank=" + rank + ", traits=" + traits);
  }
}
