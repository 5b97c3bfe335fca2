// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

/** The kinds of conversation a slot of the traffic can hold. */
enum Conversation {
  /** Hundreds to thousands of full segments one way, acknowledgements the other way. */
  TCP_BULK(6),
  /** A request and a short response. */
  TCP_SMALL(6),
  /** One question, one answer. */
  DNS(17),
  /** Many full datagrams one way, a small one back now and then. */
  QUIC(17),
  /** Echo request and reply; the protocol number is IPv4's, IPv6 uses {@link #ICMP_V6}. */
  ICMP(1),
  /** Address resolution: no IP. */
  ARP(0),
  /** The flow that carries microbursts: full datagrams one way. */
  BURST(17);

  static final int ICMP_V6 = 58;

  private final int protocol;

  Conversation(int protocol) {
    this.protocol = protocol;
  }

  boolean isTcp() {
    return protocol == 6;
  }

  boolean hasPorts() {
    return isTcp() || protocol == 17;
  }

  int protocol(boolean ipv6) {
    return this == ICMP && ipv6 ? ICMP_V6 : protocol;
  }
}
