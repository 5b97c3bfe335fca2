// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

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

  private final SplittableRandom random;
  private final int packetsPerAnswer;
  private final int requestWireBytes;
  private final int answerWireBytes;
  private final int meanPackets;
  private int portOffset;
  private int packetsToAnswer;
  private int packetsLeft;

  ExchangeFlow(
      int rank,
      FlowTraits traits,
      Endpoint client,
      Endpoint server,
      FlowSizes sizes,
      MemorySegment templates,
      FlowLedger ledger,
      SplittableRandom random) {
    super(rank, traits, client, server, templates, ledger);
    this.random = random;
    meanPackets = Math.max(2 * SHORTEST_LIFE_PACKETS, sizes.meanPackets());
    boolean stream = traits.protocol() == FlowTraits.Protocol.UDP && random.nextBoolean();
    packetsPerAnswer = stream ? STREAM_PACKETS_PER_ANSWER : 1;
    if (hasPorts()) {
      clientPort = FIRST_CLIENT_PORT + random.nextInt(CLIENT_PORTS);
      serverPort = sizes.serverPort();
    }
    packetsToAnswer = packetsPerAnswer;
    packetsLeft = lifePackets();
    requestWireBytes = template(true, sizes);
    answerWireBytes = template(false, sizes);
  }

  private boolean hasPorts() {
    return traits.protocol() == FlowTraits.Protocol.UDP;
  }

  private int lifePackets() {
    return meanPackets / 2 + random.nextInt(meanPackets);
  }

  /** Writes a template and returns the length of its frames. */
  private int template(boolean fromClient, FlowSizes sizes) {
    FrameTemplate template = newTemplate(fromClient);
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
  int writeNext(MemorySegment frames, long offset, long timeNs) {
    boolean fromClient = packetsToAnswer > 0;
    packetsToAnswer = fromClient ? packetsToAnswer - 1 : packetsPerAnswer;
    copyTemplate(fromClient, frames, offset);
    int wireBytes = fromClient ? requestWireBytes : answerWireBytes;
    tally(fromClient, timeNs, wireBytes);
    if (--packetsLeft <= 0 && hasPorts()) {
      packetsLeft = lifePackets();
      packetsToAnswer = packetsPerAnswer;
      endLife(portOffset);
    }
    return wireBytes;
  }
}
