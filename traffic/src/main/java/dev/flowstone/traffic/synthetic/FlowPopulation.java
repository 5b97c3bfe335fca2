// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import dev.flowstone.traffic.synthetic.FlowTraits.Protocol;
import java.util.SplittableRandom;

/**
 * Makes the flows of a run, largest first. Of twenty ranks in a row, seventeen are TCP (about 85 %
 * of packets), two UDP and one in turn ICMP and ARP; every tenth is IPv6, every fifth tagged.
 */
final class FlowPopulation {
  private static final int PATTERN = 20;
  private static final int IPV6_EVERY = 10;
  private static final int VLAN_EVERY = 5;
  private static final int FIRST_VLAN = 100;
  private static final int VLANS = 16;

  /** Clients are shared by several flows, servers are not: so 5-tuples of two flows differ. */
  private static final int FLOWS_PER_CLIENT = 4;

  private FlowPopulation() {}

  static Flow[] make(
      SyntheticOptions options, FlowBlocks blocks, FlowLedger ledger, SplittableRandom random) {
    int count = options.flows();
    double[] shares = ZipfPicker.shares(count);
    int clients = Math.max(1, count / FLOWS_PER_CLIENT);
    Flow[] flows = new Flow[count];
    for (int rank = 0; rank < count; rank++) {
      FlowTraits traits = traits(rank, random);
      Endpoint client = Endpoint.client(1 + random.nextInt(clients), traits.ipv6());
      Endpoint server = Endpoint.server(1 + rank, traits.ipv6());
      FlowSizes sizes = FlowSizes.of(rank, shares[rank], options, random);
      flows[rank] =
          traits.protocol() == Protocol.TCP
              ? new TcpFlow(rank, traits, client, server, sizes, blocks, ledger, random)
              : new ExchangeFlow(rank, traits, client, server, sizes, blocks, ledger, random);
    }
    return flows;
  }

  private static FlowTraits traits(int rank, SplittableRandom random) {
    Protocol protocol =
        switch (rank % PATTERN) {
          case 4, 13 -> Protocol.UDP;
          case 18 -> rank / PATTERN % 2 == 0 ? Protocol.ICMP : Protocol.ARP;
          default -> Protocol.TCP;
        };
    // ARP asks for IPv4 addresses.
    boolean ipv6 = protocol != Protocol.ARP && rank % IPV6_EVERY == 6;
    int vlan = rank % VLAN_EVERY == 2 ? FIRST_VLAN + random.nextInt(VLANS) : 0;
    return new FlowTraits(protocol, ipv6, vlan);
  }
}
