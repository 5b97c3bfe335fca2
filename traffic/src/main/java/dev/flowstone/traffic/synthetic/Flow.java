// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.util.SplittableRandom;

/**
 * One place in the traffic mix: a client and a server talk, then others do, and so on. Packets of a
 * talk are written from what is in the place's block; the flow itself sees to what is rare.
 */
abstract sealed class Flow permits TcpFlow, DatagramFlow {
  private static final int[] FIRST_TIMES_TO_LIVE = {64, 64, 64, 64, 64, 128, 128, 255};
  private static final int LEAST_HOPS = 3;
  private static final int HOPS = 22;

  /** Most traffic has no class; the others are expedited, assured and of low effort. */
  private static final int[] SERVICE_TYPES = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xB8, 0x28, 0x20
  };

  private static final int FLOW_LABELS = 1 << 20;

  final int rank;
  final FlowTraits traits;
  final FlowBlocks blocks;
  final FlowLedger ledger;
  final Hosts hosts;
  final FlowSizes sizes;
  final PacketClock clock;
  final FrameTemplate template;
  final SplittableRandom random;
  final int block;
  int client;
  int clientPort;
  int server;
  int serverPort;
  private boolean talkerIsClient;
  private long endedPackets;

  Flow(int rank, FlowTraits traits, FlowSetting setting) {
    this.rank = rank;
    this.traits = traits;
    blocks = setting.blocks();
    ledger = setting.ledger();
    hosts = setting.hosts();
    sizes = setting.sizes();
    clock = setting.clock();
    template = setting.template();
    random = setting.random();
    block = FlowBlocks.block(rank);
  }

  /**
   * Goes on where no talk is under way: writes a packet that is not part of one and returns true,
   * or begins a talk.
   */
  abstract boolean writeOther();

  /** Others talk from now on, over a port that no flow had before. */
  final void drawPartners(boolean talkerIsClient) {
    this.talkerIsClient = talkerIsClient;
    long drawn = hosts.drawClient();
    client = Hosts.host(drawn);
    clientPort = Hosts.port(drawn);
    server = hosts.drawServer();
  }

  final int side(boolean fromClient) {
    return fromClient == talkerIsClient ? FlowBlocks.TALKER : FlowBlocks.ANSWERER;
  }

  /** Writes what all frames of a side have in common, whoever talks. */
  final void layTemplates() {
    for (int side = FlowBlocks.TALKER; side <= FlowBlocks.ANSWERER; side++) {
      blocks.beginFrame(block, side, traits.transportOffset(), template);
      template.ethernet(side == FlowBlocks.TALKER, traits);
    }
  }

  /** Writes a side's IP header. */
  final void beginTemplate(boolean fromClient) {
    blocks.beginIp(block, side(fromClient), traits, template);
    template.ip(
        traits,
        SERVICE_TYPES[random.nextInt(SERVICE_TYPES.length)],
        random.nextInt(FLOW_LABELS),
        drawTimeToLive(random));
    if (fromClient) {
      template.address(hosts.clients(), client, traits.ipv6());
      template.address(hosts.servers(), server, traits.ipv6());
    } else {
      template.address(hosts.servers(), server, traits.ipv6());
      template.address(hosts.clients(), client, traits.ipv6());
    }
  }

  /** The template of a side is complete. */
  final void endTemplate(boolean fromClient, int window) {
    blocks.sums(
        block,
        side(fromClient),
        HeaderSums.pack(template.transportSum(), template.ipSum(), window));
  }

  final int portsWord(boolean fromClient) {
    return fromClient
        ? (clientPort << Short.SIZE) | serverPort
        : (serverPort << Short.SIZE) | clientPort;
  }

  static int drawTimeToLive(SplittableRandom random) {
    int first = FIRST_TIMES_TO_LIVE[random.nextInt(FIRST_TIMES_TO_LIVE.length)];
    return first - LEAST_HOPS - random.nextInt(HOPS);
  }

  /** The flow is over; what comes next is another. */
  final void endLife() {
    ledger.lifeEnded(this);
    endedPackets += lifePackets();
    blocks.resetTallies(block);
  }

  /** What one direction sent in the current life. */
  final TallyFigures figures(boolean fromClient) {
    return blocks.figures(block, side(fromClient));
  }

  /** What both directions sent in the current life. */
  final TallyFigures figures() {
    return blocks.figures(block);
  }

  final long lifePackets(boolean fromClient) {
    return blocks.packets(block, side(fromClient));
  }

  final long lifePackets() {
    return blocks.packets(block, FlowBlocks.TALKER) + blocks.packets(block, FlowBlocks.ANSWERER);
  }

  /** What all lives sent. */
  final long packets() {
    return endedPackets + lifePackets();
  }

  final FlowTuple toServer() {
    return new FlowTuple(
        hosts.clients().endpoint(client, traits.ipv6()),
        hosts.servers().endpoint(server, traits.ipv6()),
        traits.ipProtocol(),
        clientPort,
        serverPort);
  }
}
