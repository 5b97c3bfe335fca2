// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/**
 * TCP connections: handshake, segments one way and acknowledgements the other, an end with FINs or
 * a reset, and then another connection. A server may refuse one. On half of all connections both
 * directions are seen; of the others one, as where a route back leads elsewhere.
 */
final class TcpFlow extends Flow {
  private static final int FIN = SegmentWriter.FIN;
  private static final int SYN = SegmentWriter.SYN;
  private static final int RST = SegmentWriter.RST;
  private static final int ACK = SegmentWriter.ACK;

  private static final int[] SERVER_PORTS = {
    443, 443, 443, 443, 443, 443, 443, 80, 80, 8443, 8080, 22, 25, 993, 1935, 5201
  };
  private static final int[] MOST_SEGMENTS_PER_ACK = {1, 2, 2, 2, 3, 4, 8, 16};

  /** Of 256 segments so many are not full: of those that carry files, of those of a dialogue. */
  private static final int PART_OF_BULK = 24;

  private static final int PART_OF_DIALOGUE = 200;
  private static final int SMALLEST_DIALOGUE_BYTES = 40;
  private static final int SMALLEST_WINDOW = 200;
  private static final int LARGEST_WINDOW = 0xFFFF;
  private static final int LONGEST_ROUND_TRIP_TICKS = 200;
  private static final int REFUSED_OF = 32;
  private static final int RESET_OF = 4;
  private static final int UPLOADS_OF = 4;
  private static final int DIALOGUES_OF = 4;
  private static final int WITHOUT_TIMESTAMPS_OF = 4;

  private enum Sender {
    CLIENT,
    SERVER,
    RECEIVER_OF_DATA
  }

  /** What the next packet outside the talk is, and who sends it with which flags. */
  private enum Step {
    OPEN(Sender.CLIENT, SYN),
    REFUSE(Sender.SERVER, RST | ACK),
    ACCEPT(Sender.SERVER, SYN | ACK),
    CONFIRM(Sender.CLIENT, ACK),
    TALK(Sender.RECEIVER_OF_DATA, 0),
    ACKNOWLEDGE(Sender.RECEIVER_OF_DATA, ACK),
    RESET(Sender.CLIENT, RST | ACK),
    CLOSE(Sender.CLIENT, FIN | ACK),
    CLOSE_BACK(Sender.SERVER, FIN | ACK),
    LAST_ACK(Sender.CLIENT, ACK),
    END(Sender.CLIENT, 0);

    final Sender sender;
    final int flags;

    Step(Sender sender, int flags) {
      this.sender = sender;
      this.flags = flags;
    }
  }

  private final SegmentWriter segments;
  private final int headerWords;
  private Step step = Step.END;
  private boolean clientSeen;
  private boolean serverSeen;
  private boolean refused;

  TcpFlow(int rank, FlowTraits traits, FlowSetting setting) {
    super(rank, traits, setting);
    segments = setting.segments();
    boolean timestamps = random.nextInt(WITHOUT_TIMESTAMPS_OF) != 0;
    headerWords = SegmentWriter.HEADER_WORDS + (timestamps ? SegmentWriter.TIMESTAMP_WORDS : 0);
    layTemplates();
  }

  @Override
  boolean writeOther() {
    while (true) {
      if (step == Step.END) {
        beginLife();
      }
      Step now = step;
      step = after(now);
      if (now == Step.TALK) {
        blocks.left(block, sizes.drawPackets(random), 1);
        return false;
      }
      if (write(now)) {
        return true;
      }
    }
  }

  private Step after(Step now) {
    return switch (now) {
      case OPEN -> refused ? Step.REFUSE : Step.ACCEPT;
      case ACCEPT -> Step.CONFIRM;
      case CONFIRM -> Step.TALK;
      case TALK -> Step.ACKNOWLEDGE;
      case ACKNOWLEDGE -> random.nextInt(RESET_OF) == 0 ? Step.RESET : Step.CLOSE;
      case CLOSE -> Step.CLOSE_BACK;
      case CLOSE_BACK -> Step.LAST_ACK;
      case REFUSE, RESET, LAST_ACK, END -> Step.END;
    };
  }

  /** Writes a packet outside the talk, if its direction is seen. */
  private boolean write(Step now) {
    boolean fromClient = fromClient(now);
    boolean seen = fromClient ? clientSeen : serverSeen;
    int side = side(fromClient);
    if (seen) {
      ledger.sent(now.flags, Hosts.destination(server, traits.ipv6()), clock.nowNs());
      segments.control(block, side, now.flags);
    }
    // SYN and FIN each take a sequence number.
    if ((now.flags & (SYN | FIN)) != 0) {
      blocks.sequences(block, FlowBlocks.advance(side, blocks.sequences(block), 1));
    }
    return seen;
  }

  private boolean fromClient(Step now) {
    return switch (now.sender) {
      case CLIENT -> true;
      case SERVER -> false;
      case RECEIVER_OF_DATA -> side(true) == FlowBlocks.ANSWERER;
    };
  }

  private void beginLife() {
    endLife();
    ledger.lifeBegan();
    drawPartners(random.nextInt(UPLOADS_OF) == 0);
    serverPort = SERVER_PORTS[random.nextInt(SERVER_PORTS.length)];
    refused = !sizes.orderly() && random.nextInt(REFUSED_OF) == 0;
    boolean bothSeen = refused || sizes.orderly() || random.nextBoolean();
    boolean oneSeen = random.nextBoolean();
    clientSeen = bothSeen || oneSeen;
    serverSeen = bothSeen || !oneSeen;
    blocks.shape(block, drawShape());
    blocks.sequences(block, random.nextLong());
    blocks.ticks(block, random.nextLong());
    template(true);
    template(false);
    step = Step.OPEN;
  }

  private long drawShape() {
    int headers = traits.transportOffset() + headerWords * Integer.BYTES;
    int full = sizes.fullBytes(traits, headers, random);
    int part = sizes.isFixed() ? 0 : PART_OF_BULK;
    if (!sizes.isFixed() && random.nextInt(DIALOGUES_OF) == 0) {
      full = SMALLEST_DIALOGUE_BYTES + random.nextInt(full - SMALLEST_DIALOGUE_BYTES);
      part = PART_OF_DIALOGUE;
    }
    int mostTurns = MOST_SEGMENTS_PER_ACK[random.nextInt(MOST_SEGMENTS_PER_ACK.length)];
    int lag = random.nextInt(LONGEST_ROUND_TRIP_TICKS);
    long shape = TalkShape.pack(full, lag, mostTurns, part, traits.transportOffset(), headerWords);
    boolean clientTalks = side(true) == FlowBlocks.TALKER;
    shape =
        TalkShape.withSeen(
            shape, clientTalks ? clientSeen : serverSeen, clientTalks ? serverSeen : clientSeen);
    return TalkShape.withIpv6(TalkShape.withJitter(shape, random.nextBoolean()), traits.ipv6());
  }

  private void template(boolean fromClient) {
    beginTemplate(fromClient);
    template.covered(portsWord(fromClient));
    if (headerWords > SegmentWriter.HEADER_WORDS) {
      template.skip(SegmentWriter.HEADER_BYTES - Integer.BYTES);
      template.covered(SegmentWriter.TIMESTAMP_OPTION);
    }
    int window = SMALLEST_WINDOW + random.nextInt(LARGEST_WINDOW - SMALLEST_WINDOW);
    endTemplate(fromClient, window);
  }
}
