// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

/**
 * What each slot of the traffic carries, and how often.
 *
 * <p>Slot r is the flow of popularity rank r with a Zipf(1) share of the IP packets. Two slots
 * follow: ARP, and the flow that carries microbursts (never drawn, only burst). Kinds are dealt out
 * from the most popular slot down, always to the kind furthest below its share, so the shares hold
 * by packets although one flow alone may be a tenth of the traffic.
 */
final class TrafficPlan {
  private static final double ARP_SHARE = 0.02;

  /**
   * Flows with more than this share of the packets are long ones; short ones would end too fast.
   */
  private static final double LONG_FLOW_SHARE = 1.0 / 2000;

  private static final int VLAN_PERCENT = 25;
  private static final int UPLOAD_PERCENT = 20;

  /** Shares of the IP packets, in percent. */
  private enum Kind {
    TCP_V4(76.4, false),
    UDP_V4(11.2, false),
    ICMP_V4(2.2, false),
    TCP_V6(8.7, true),
    UDP_V6(1.25, true),
    ICMP_V6(0.25, true);

    final double percent;
    final boolean ipv6;

    Kind(double percent, boolean ipv6) {
      this.percent = percent;
      this.ipv6 = ipv6;
    }

    Conversation conversation(boolean isLong) {
      return switch (this) {
        case TCP_V4, TCP_V6 -> isLong ? Conversation.TCP_BULK : Conversation.TCP_SMALL;
        case UDP_V4, UDP_V6 -> isLong ? Conversation.QUIC : Conversation.DNS;
        case ICMP_V4, ICMP_V6 -> Conversation.ICMP;
      };
    }
  }

  private final int flows;
  private final Conversation[] conversation;
  private final boolean[] ipv6;
  private final boolean[] vlan;
  private final boolean[] upload;
  private final AliasTable popularity;

  TrafficPlan(int flows, XorShift random) {
    this.flows = flows;
    int slots = flows + 2;
    conversation = new Conversation[slots];
    ipv6 = new boolean[slots];
    vlan = new boolean[slots];
    upload = new boolean[slots];
    double[] weights = zipfWeights(flows);
    dealKinds(weights, random);
    conversation[arpSlot()] = Conversation.ARP;
    conversation[burstSlot()] = Conversation.BURST;
    popularity = new AliasTable(weights);
  }

  int slots() {
    return conversation.length;
  }

  int arpSlot() {
    return flows;
  }

  int burstSlot() {
    return flows + 1;
  }

  int draw(long random) {
    return popularity.draw(random);
  }

  Conversation conversation(int slot) {
    return conversation[slot];
  }

  boolean ipv6(int slot) {
    return ipv6[slot];
  }

  boolean vlan(int slot) {
    return vlan[slot];
  }

  /** Whether the client sends the data; usually the server does. */
  boolean upload(int slot) {
    return upload[slot];
  }

  int protocol(int slot) {
    return conversation(slot).protocol(ipv6[slot]);
  }

  /** Shares of all packets: the ranks', then ARP's. */
  private static double[] zipfWeights(int flows) {
    double sum = 0;
    for (int rank = 1; rank <= flows; rank++) {
      sum += 1.0 / rank;
    }
    double[] weights = new double[flows + 1];
    for (int slot = 0; slot < flows; slot++) {
      weights[slot] = (1.0 - ARP_SHARE) / (slot + 1) / sum;
    }
    weights[flows] = ARP_SHARE;
    return weights;
  }

  private void dealKinds(double[] weights, XorShift random) {
    Kind[] kinds = Kind.values();
    double[] dealt = new double[kinds.length];
    double total = 0;
    for (int slot = 0; slot < flows; slot++) {
      total += weights[slot];
      int chosen = mostWanting(kinds, dealt, total);
      dealt[chosen] += weights[slot];
      conversation[slot] = kinds[chosen].conversation(weights[slot] > LONG_FLOW_SHARE);
      ipv6[slot] = kinds[chosen].ipv6;
      vlan[slot] = random.nextInt(100) < VLAN_PERCENT;
      upload[slot] = random.nextInt(100) < UPLOAD_PERCENT;
    }
  }

  private static int mostWanting(Kind[] kinds, double[] dealt, double total) {
    int chosen = 0;
    double largestDeficit = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < kinds.length; i++) {
      double deficit = kinds[i].percent / 100 * total - dealt[i];
      if (deficit > largestDeficit) {
        largestDeficit = deficit;
        chosen = i;
      }
    }
    return chosen;
  }
}
