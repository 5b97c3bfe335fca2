// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/** What stays the same through the life of a flow; VLAN id 0 means untagged. */
record FlowTraits(Protocol protocol, boolean ipv6, int vlan) {
  enum Protocol {
    TCP,
    UDP,
    ICMP,
    ARP
  }

  int ipProtocol() {
    return switch (protocol) {
      case TCP -> 6;
      case UDP -> 17;
      case ICMP -> ipv6 ? 58 : 1;
      case ARP -> throw new IllegalStateException("ARP has no IP protocol");
    };
  }
}
