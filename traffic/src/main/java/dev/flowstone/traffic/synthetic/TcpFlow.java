// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * A TCP flow: handshake, segments one way with an acknowledgement back for every second, FINs, and
 * then the same from a new port. Sequence and acknowledgement numbers fit each other throughout.
 */
final class TcpFlow extends Flow {
  static final int HEADER_BYTES = 20;
  private static final int FIN = 0x01;
  private static final int SYN = 0x02;
  private static final int PSH = 0x08;
  private static final int ACK = 0x10;
  private static final int SEQUENCE_OFFSET = 4;
  private static final int FLAGS_OFFSET = 13;
  private static final int SEGMENTS_PER_ACK = 2;
  private static final int WINDOW = 0xFFFF;

  private enum Sender {
    CLIENT,
    SERVER,
    RECEIVER_OF_DATA
  }

  /** What the next packet outside the talk is, and who sends it with which flags. */
  private enum Step {
    OPEN(Sender.CLIENT, SYN),
    ACCEPT(Sender.SERVER, SYN | ACK),
    CONFIRM(Sender.CLIENT, ACK),
    ACKNOWLEDGE(Sender.RECEIVER_OF_DATA, ACK),
    CLOSE(Sender.CLIENT, FIN | ACK),
    CLOSE_BACK(Sender.SERVER, FIN | ACK),
    LAST_ACK(Sender.CLIENT, ACK);

    final Sender sender;
    final int flags;

    Step(Sender sender, int flags) {
      this.sender = sender;
      this.flags = flags;
    }
  }

  private final SplittableRandom random;
  private final int meanSegments;
  private final int controlWireBytes;
  private final int ipOffset;
  private final int tcpOffset;
  private Step step = Step.OPEN;
  private int segments;

  TcpFlow(
      int rank,
      FlowTraits traits,
      Endpoint client,
      Endpoint server,
      FlowSizes sizes,
      FlowBlocks blocks,
      FlowLedger ledger,
      SplittableRandom random) {
    // Three of four clients fetch, one sends.
    super(rank, traits, client, server, random.nextInt(4) == 0, blocks, ledger);
    this.random = random;
    meanSegments = sizes.meanPackets();
    clientPort = FIRST_CLIENT_PORT + random.nextInt(CLIENT_PORTS);
    serverPort = sizes.serverPort();
    ipOffset = FrameTemplate.ethernetBytes(traits);
    tcpOffset = ipOffset + FrameTemplate.ipBytes(traits);
    int headersBytes = tcpOffset + HEADER_BYTES;
    int segmentBytes = sizes.payloadBytes(headersBytes, traits);
    template(true, segmentBytes);
    template(false, segmentBytes);
    controlWireBytes = sizes.frameBytes(headersBytes);
    blocks.shape(
        block,
        TalkShape.pack(
            SEGMENTS_PER_ACK,
            tcpOffset + SEQUENCE_OFFSET,
            sizes.frameBytes(headersBytes + segmentBytes),
            controlWireBytes,
            segmentBytes));
  }

  /** Writes what a direction sends in a talk: segments or acknowledgements. */
  private void template(boolean fromClient, int segmentBytes) {
    boolean data = side(fromClient) == FlowBlocks.TALKER;
    Endpoint from = fromClient ? client : server;
    Endpoint to = fromClient ? server : client;
    FrameTemplate template = blocks.newTemplate(block, side(fromClient));
    template.ethernet(from, to, traits);
    template.ip(from, to, traits, HEADER_BYTES + (data ? segmentBytes : 0));
    template.u16(fromClient ? clientPort : serverPort).u16(fromClient ? serverPort : clientPort);
    template.u32(0).u32(0);
    template.u8((HEADER_BYTES / 4) << 4).u8(data ? PSH | ACK : ACK).u16(WINDOW).u16(0).u16(0);
  }

  @Override
  int writeControl(MemorySegment frames, long offset, long timeNs) {
    Step now = step;
    switch (now) {
      case OPEN -> {
        open(timeNs);
        step = Step.ACCEPT;
      }
      case ACCEPT -> {
        ledger.synAckSent();
        step = Step.CONFIRM;
      }
      case CONFIRM -> startTalk();
      case ACKNOWLEDGE -> step = Step.CLOSE;
      case CLOSE -> {
        ledger.finSent();
        step = Step.CLOSE_BACK;
      }
      case CLOSE_BACK -> {
        ledger.finSent();
        step = Step.LAST_ACK;
      }
      case LAST_ACK -> step = Step.OPEN;
    }
    send(side(now), now.flags, frames, offset);
    blocks.addToTallies(block, side(now), timeNs, controlWireBytes);
    if (now == Step.LAST_ACK) {
      endLife(tcpOffset);
    }
    return controlWireBytes;
  }

  private int side(Step now) {
    return switch (now.sender) {
      case CLIENT -> side(true);
      case SERVER -> side(false);
      case RECEIVER_OF_DATA -> FlowBlocks.ANSWERER;
    };
  }

  private void open(long timeNs) {
    int clientSequence = random.nextInt();
    int serverSequence = random.nextInt();
    segments = Math.max(1, meanSegments / 2 + random.nextInt(meanSegments + 1));
    long fromClient =
        ((long) clientSequence << Integer.SIZE) | Integer.toUnsignedLong(serverSequence);
    blocks.sequences(block, FlowBlocks.seenFrom(side(true), fromClient));
    ledger.synSent(rank, timeNs);
  }

  /** All segments with an acknowledgement after every second; the last one comes after the talk. */
  private void startTalk() {
    blocks.packetsLeft(block, segments + (segments - 1) / SEGMENTS_PER_ACK);
    blocks.turnLeft(block, SEGMENTS_PER_ACK);
  }

  @Override
  void talkEnded() {
    step = Step.ACKNOWLEDGE;
  }

  private void send(int side, int flags, MemorySegment frames, long offset) {
    blocks.copyTemplate(block, side, frames, offset);
    FrameTemplate.payloadBytes(frames, offset + ipOffset, traits, HEADER_BYTES);
    long tcp = offset + tcpOffset;
    long sequences = FlowBlocks.seenFrom(side, blocks.sequences(block));
    frames.set(
        FrameTemplate.LONG,
        tcp + SEQUENCE_OFFSET,
        (flags & ACK) != 0 ? sequences : sequences & ~0xFFFF_FFFFL);
    frames.set(JAVA_BYTE, tcp + FLAGS_OFFSET, (byte) flags);
    // SYN and FIN each take a sequence number.
    if ((flags & (SYN | FIN)) != 0) {
      blocks.sequences(block, FlowBlocks.advance(side, blocks.sequences(block), 1));
    }
  }
}
