// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.lang.foreign.MemorySegment;

/**
 * One place in the traffic mix: a client and a server that talk, again and again, over a new client
 * port each time (one talk = one life). Its packets are written by {@link TalkWriter} from what is
 * in the flow's block; the flow itself sees to what is rare.
 */
abstract class Flow {
  static final int FIRST_CLIENT_PORT = 1024;
  static final int CLIENT_PORTS = 65536 - FIRST_CLIENT_PORT;

  final int rank;
  final FlowTraits traits;
  final Endpoint client;
  final Endpoint server;
  final FlowBlocks blocks;
  final int block;
  final FlowLedger ledger;
  private final boolean talkerIsClient;
  int clientPort;
  int serverPort;

  /** Lives that ended, and what they sent. */
  private long endedLives;

  private long endedPackets;

  Flow(
      int rank,
      FlowTraits traits,
      Endpoint client,
      Endpoint server,
      boolean talkerIsClient,
      FlowBlocks blocks,
      FlowLedger ledger) {
    this.rank = rank;
    this.traits = traits;
    this.client = client;
    this.server = server;
    this.talkerIsClient = talkerIsClient;
    this.blocks = blocks;
    this.ledger = ledger;
    block = FlowBlocks.block(rank);
  }

  /** Writes a frame that is not part of a talk and returns its length on the wire. */
  abstract int writeControl(MemorySegment frames, long offset, long timeNs);

  /** The last packet of a talk was written. */
  abstract void talkEnded();

  final int side(boolean fromClient) {
    return fromClient == talkerIsClient ? FlowBlocks.TALKER : FlowBlocks.ANSWERER;
  }

  /** The life is over; the next packet opens a new one from another port. */
  final void endLife(int portOffset) {
    ledger.lifeEnded(this);
    endedLives++;
    endedPackets += lifePackets();
    blocks.resetTallies(block);
    clientPort =
        clientPort + 1 < FIRST_CLIENT_PORT + CLIENT_PORTS ? clientPort + 1 : FIRST_CLIENT_PORT;
    blocks.templateShort(block, side(true), portOffset, clientPort);
    blocks.templateShort(block, side(false), portOffset + Short.BYTES, clientPort);
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
    return lifePackets(true) + lifePackets(false);
  }

  /** What all lives sent. */
  final long packets() {
    return endedPackets + lifePackets();
  }

  /**
   * How many directional 5-tuples were seen. Every life that ended was seen in both directions, and
   * after {@link #CLIENT_PORTS} lives ports come back.
   */
  final long directionalTuples() {
    if (traits.protocol() == FlowTraits.Protocol.ARP) {
      return 0;
    }
    long current =
        endedLives >= CLIENT_PORTS
            ? 0
            : Long.signum(lifePackets(true)) + Long.signum(lifePackets(false));
    return 2 * Math.min(endedLives, CLIENT_PORTS) + current;
  }

  final long bidirectionalTuples() {
    if (traits.protocol() == FlowTraits.Protocol.ARP) {
      return 0;
    }
    return Math.min(endedLives + Long.signum(lifePackets()), CLIENT_PORTS);
  }
}
