// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import java.lang.foreign.MemorySegment;

/**
 * One place in the traffic mix: a client and a server that talk, again and again, over a new client
 * port each time (one talk = one life). Frames are copies of a template per direction with a few
 * fields patched.
 */
abstract class Flow {
  static final int FIRST_CLIENT_PORT = 1024;
  static final int CLIENT_PORTS = 65536 - FIRST_CLIENT_PORT;

  final int rank;
  final FlowTraits traits;
  final Endpoint client;
  final Endpoint server;
  final FlowTally toServer = new FlowTally();
  final FlowTally toClient = new FlowTally();

  /** Both directions together; packets and bytes are the sums of the other two. */
  final FlowTally both = new FlowTally();

  private final FlowLedger ledger;
  private final MemorySegment templates;
  private final long toServerTemplate;
  private final long toClientTemplate;
  int clientPort;
  int serverPort;

  /** Lives that ended, and what they sent. */
  long endedLives;

  long endedPackets;
  long endedBytes;

  Flow(
      int rank,
      FlowTraits traits,
      Endpoint client,
      Endpoint server,
      MemorySegment templates,
      FlowLedger ledger) {
    this.rank = rank;
    this.traits = traits;
    this.client = client;
    this.server = server;
    this.templates = templates;
    this.ledger = ledger;
    toServerTemplate = rank * 2L * FrameTemplate.BYTES;
    toClientTemplate = toServerTemplate + FrameTemplate.BYTES;
  }

  /** Writes the flow's next frame and returns its length on the wire. */
  abstract int writeNext(MemorySegment frames, long offset, long timeNs);

  final void copyTemplate(boolean fromClient, MemorySegment frames, long offset) {
    long template = fromClient ? toServerTemplate : toClientTemplate;
    MemorySegment.copy(templates, template, frames, offset, FrameTemplate.BYTES);
  }

  final FrameTemplate newTemplate(boolean fromClient) {
    long template = fromClient ? toServerTemplate : toClientTemplate;
    return new FrameTemplate(templates.asSlice(template, FrameTemplate.BYTES));
  }

  final void tally(boolean fromClient, long timeNs, int wireBytes) {
    (fromClient ? toServer : toClient).add(timeNs, wireBytes);
    both.add(timeNs, wireBytes);
  }

  final FlowLedger ledger() {
    return ledger;
  }

  /** The talk is over; the next packet opens a new one from another port. */
  final void endLife(int portOffset) {
    ledger.lifeEnded(this);
    endedLives++;
    endedPackets += both.packets;
    endedBytes += both.bytes;
    toServer.reset();
    toClient.reset();
    both.reset();
    moveClientPort(portOffset);
  }

  private void moveClientPort(int portOffset) {
    clientPort =
        clientPort + 1 < FIRST_CLIENT_PORT + CLIENT_PORTS ? clientPort + 1 : FIRST_CLIENT_PORT;
    templates.set(FrameTemplate.SHORT, toServerTemplate + portOffset, (short) clientPort);
    templates.set(
        FrameTemplate.SHORT, toClientTemplate + portOffset + Short.BYTES, (short) clientPort);
  }

  long packets() {
    return endedPackets + both.packets;
  }

  long bytes() {
    return endedBytes + both.bytes;
  }

  /**
   * How many directional 5-tuples were seen. Every life that ended was seen in both directions, and
   * after {@link #CLIENT_PORTS} lives ports come back.
   */
  long directionalTuples() {
    if (traits.protocol() == FlowTraits.Protocol.ARP) {
      return 0;
    }
    long current = endedLives >= CLIENT_PORTS ? 0 : sign(toServer) + sign(toClient);
    return 2 * Math.min(endedLives, CLIENT_PORTS) + current;
  }

  long bidirectionalTuples() {
    if (traits.protocol() == FlowTraits.Protocol.ARP) {
      return 0;
    }
    return Math.min(endedLives + sign(both), CLIENT_PORTS);
  }

  private static int sign(FlowTally tally) {
    return Long.signum(tally.packets);
  }
}
