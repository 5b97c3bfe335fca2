// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import dev.flowstone.traffic.synthetic.FlowTraits.Protocol;
import java.util.SplittableRandom;

/**
 * Makes the places of a run, busiest first. A quarter of packets is UDP, one in a hundred ICMP, the
 * rest TCP; one in seven is IPv6, one in ten tagged: by the share of packets that each place has.
 */
final class FlowPopulation {
  private static final int FIRST_VLAN = 100;
  private static final int VLANS = 16;

  private final Quota udp = new Quota(0.25);
  private final Quota icmp = new Quota(0.01);
  private final Quota ipv6 = new Quota(1.0 / 7);
  private final Quota vlan = new Quota(0.1);

  private FlowPopulation() {}

  static Flow[] make(SyntheticOptions options, FlowSetting setting) {
    FlowPopulation population = new FlowPopulation();
    double[] shares = ZipfPicker.shares(options.flows());
    Flow[] flows = new Flow[shares.length];
    for (int rank = 0; rank < shares.length; rank++) {
      FlowTraits traits = population.traits(shares[rank], setting.random());
      flows[rank] =
          traits.protocol() == Protocol.TCP
              ? new TcpFlow(rank, traits, setting)
              : new DatagramFlow(rank, traits, setting);
    }
    return flows;
  }

  private FlowTraits traits(double share, SplittableRandom random) {
    boolean isUdp = udp.takes(share, true);
    boolean isIcmp = icmp.takes(share, !isUdp);
    boolean isIpv6 = ipv6.takes(share, true);
    // What is tagged here speaks IPv4: the headers are no longer than a block has room for.
    int tag = vlan.takes(share, !isIpv6) ? FIRST_VLAN + random.nextInt(VLANS) : 0;
    Protocol notTcp = isUdp ? Protocol.UDP : Protocol.ICMP;
    return new FlowTraits(isUdp || isIcmp ? notTcp : Protocol.TCP, isIpv6, tag);
  }

  /** Takes places whenever those that it has do not have its part of all packets yet. */
  private static final class Quota {
    private final double part;
    private double taken;
    private double all;

    Quota(double part) {
      this.part = part;
    }

    boolean takes(double share, boolean mayTake) {
      all += share;
      boolean takes = mayTake && taken + share <= part * all;
      taken += takes ? share : 0;
      return takes;
    }
  }
}
