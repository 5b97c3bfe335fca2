// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/** What all flows of one place in the mix have in common; VLAN id 0 means untagged. */
record FlowTraits(Protocol protocol, boolean ipv6, int vlan) {
  enum Protocol {
    TCP,
    UDP,
    ICMP
  }

  private static final int ETHERNET_BYTES = 14;
  private static final int VLAN_BYTES = 4;
  private static final int IPV4_BYTES = 20;
  private static final int IPV6_BYTES = 40;

  int ipProtocol() {
    return switch (protocol) {
      case TCP -> 6;
      case UDP -> 17;
      case ICMP -> ipv6 ? 58 : 1;
    };
  }

  int ethernetBytes() {
    return vlan != 0 ? ETHERNET_BYTES + VLAN_BYTES : ETHERNET_BYTES;
  }

  int ipBytes() {
    return ipv6 ? IPV6_BYTES : IPV4_BYTES;
  }

  /** Where the header of TCP, UDP or ICMP begins. */
  int transportOffset() {
    return ethernetBytes() + ipBytes();
  }
}
