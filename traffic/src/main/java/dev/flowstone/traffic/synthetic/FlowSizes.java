// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.util.SplittableRandom;

/**
 * How large a flow's packets are, how many it sends in one life, and the service it talks to.
 *
 * @param fixedFrameBytes length of every frame, {@link SyntheticOptions#MIX} for the flow's own
 * @param ipBytes length of the flow's IP packets that carry data, in a mix
 * @param meanPackets packets in a life
 */
record FlowSizes(int fixedFrameBytes, int ipBytes, int meanPackets, int serverPort) {
  private static final int BULK_IP_BYTES = 1500;
  private static final int[] MIDDLE_IP_BYTES = {1500, 1500, 1064, 616, 552};
  private static final int[] MOUSE_IP_BYTES = {92, 140, 240, 440, 576};
  private static final int[] SERVER_PORTS = {443, 443, 80, 22, 53, 8443, 1094, 5201};

  /** Flows ranked above this share are elephants, above the next one middling, the rest mice. */
  private static final double ELEPHANTS = 0.01;

  private static final double MIDDLING = 0.2;
  private static final int ETHERNET_BYTES = 14;
  private static final int VLAN_BYTES = 4;

  /** Every place in the mix sees a new life about this often, whatever its rate. */
  private static final int MEAN_LIFE_SECONDS = 5;

  private static final int SHORTEST_MEAN_PACKETS = 8;
  private static final int LARGEST_MEAN_PACKETS = 1 << 29;

  static FlowSizes of(int rank, double share, SyntheticOptions options, SplittableRandom random) {
    double position = rank / (double) options.flows();
    int ipBytes;
    if (position < ELEPHANTS) {
      ipBytes = BULK_IP_BYTES;
    } else {
      int[] choice = position < MIDDLING ? MIDDLE_IP_BYTES : MOUSE_IP_BYTES;
      ipBytes = choice[random.nextInt(choice.length)];
    }
    double packets = share * options.packetsPerSecond() * MEAN_LIFE_SECONDS;
    return new FlowSizes(
        options.frameBytes(),
        ipBytes,
        (int) Math.clamp(packets, SHORTEST_MEAN_PACKETS, LARGEST_MEAN_PACKETS),
        SERVER_PORTS[random.nextInt(SERVER_PORTS.length)]);
  }

  /** Bytes of data in a data packet whose headers, Ethernet's included, have this length. */
  int payloadBytes(int headerBytes, FlowTraits traits) {
    int mixFrameBytes = ipBytes + ETHERNET_BYTES + (traits.vlan() != 0 ? VLAN_BYTES : 0);
    int frameBytes = fixedFrameBytes != SyntheticOptions.MIX ? fixedFrameBytes : mixFrameBytes;
    return Math.max(0, frameBytes - headerBytes);
  }

  /** Length on the wire of a frame with so many bytes of content. */
  int frameBytes(int contentBytes) {
    return Math.max(smallestFrameBytes(), contentBytes);
  }

  /** Shorter frames are padded: to the minimum of Ethernet, or to the one size of the run. */
  int smallestFrameBytes() {
    return Math.max(SyntheticOptions.SMALLEST_FRAME_BYTES, fixedFrameBytes);
  }
}
