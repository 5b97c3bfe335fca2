// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

/**
 * Where each slot's connection stands, and what packet comes next in it.
 *
 * <p>A TCP connection is: SYN, SYN+ACK, ACK; a request if the server sends the data; data segments,
 * with an acknowledgement after every second and after the last; FIN+ACK from the sender, FIN+ACK
 * back, ACK. Nothing is lost or reordered. An acknowledgement number is always what the other side
 * would send next. {@link #next} leaves its choice in fields to spare an object for each packet.
 */
final class Conversations {
  private static final byte SYN = 0;
  private static final byte SYN_ACK = 1;
  private static final byte HANDSHAKE_ACK = 2;
  private static final byte REQUEST = 3;
  private static final byte DATA = 4;
  private static final byte DATA_ACK = 5;
  private static final byte FIN = 6;
  private static final byte FIN_REPLY = 7;
  private static final byte LAST_ACK = 8;

  private static final byte FIRST_DATAGRAM = 0;

  private static final int CLIENT = 0;
  private static final int SERVER = 1;
  private static final int SEGMENTS_PER_ACK = 2;
  private static final int DATAGRAMS_PER_ACK = 10;
  private static final int QUIC_ACK_BYTES = 33;
  private static final int ECHO_BYTES = 56;
  private static final int MIXED_FRAME_BYTES = 1514;
  private static final int QUIC_PAYLOAD_BYTES = 1250;

  private final TrafficPlan plan;
  private final XorShift random;
  private final boolean fixedSize;
  private final byte[] phase;
  private final byte[] unacknowledged;
  private final byte[] sender;
  private final char[] fullPayload;
  private final int[] remaining;
  private final int[] nextSequence;

  private int direction;
  private int flags;
  private int sequence;
  private int acknowledgement;
  private int payloadBytes;
  private boolean ended;

  Conversations(
      TrafficPlan plan, FrameTemplates templates, SyntheticOptions options, XorShift random) {
    this.plan = plan;
    this.random = random;
    fixedSize = options.frameBytes() != SyntheticOptions.MIXED_SIZES;
    int slots = plan.slots();
    phase = new byte[slots];
    unacknowledged = new byte[slots];
    sender = new byte[slots];
    fullPayload = new char[slots];
    remaining = new int[slots];
    nextSequence = new int[2 * slots];
    int burstFrameBytes =
        options.microburst().map(Microburst::frameBytes).orElse(MIXED_FRAME_BYTES);
    for (int slot = 0; slot < slots; slot++) {
      sender[slot] = (byte) (plan.upload(slot) ? CLIENT : SERVER);
      int frame = fixedSize ? options.frameBytes() : fullFrameBytes(slot);
      int chosen = slot == plan.burstSlot() ? burstFrameBytes : frame;
      fullPayload[slot] = (char) Math.max(0, chosen - headerBytes(slot, templates));
    }
  }

  /** A tagged frame may be four bytes longer. */
  private int fullFrameBytes(int slot) {
    return plan.vlan(slot) ? MIXED_FRAME_BYTES + 4 : MIXED_FRAME_BYTES;
  }

  private int headerBytes(int slot, FrameTemplates templates) {
    boolean tcp = plan.conversation(slot).isTcp();
    return templates.transportOffset(slot)
        + (tcp ? FrameTemplates.TCP_BYTES : FrameTemplates.UDP_BYTES);
  }

  /** Chooses the slot's next packet; the accessors below then describe it. */
  void next(int slot, Conversation conversation) {
    flags = TcpFlags.NONE;
    ended = false;
    switch (conversation) {
      case TCP_BULK, TCP_SMALL -> nextSegment(slot, conversation);
      case DNS -> nextDns(slot);
      case QUIC -> nextQuic(slot);
      case ICMP -> alternate(slot, fixedSize ? fullPayload[slot] : ECHO_BYTES);
      case ARP -> alternate(slot, 0);
      case BURST -> {
        direction = CLIENT;
        payloadBytes = fullPayload[slot];
      }
    }
  }

  int direction() {
    return direction;
  }

  /** TCP flags, {@link TcpFlags#NONE} for anything but TCP. */
  int flags() {
    return flags;
  }

  int sequence() {
    return sequence;
  }

  int acknowledgement() {
    return acknowledgement;
  }

  int payloadBytes() {
    return payloadBytes;
  }

  /** Whether this was the last packet of its connection. */
  boolean ended() {
    return ended;
  }

  private void nextSegment(int slot, Conversation conversation) {
    int sending = sender[slot];
    switch (phase[slot]) {
      case SYN -> {
        open(slot, conversation);
        segment(slot, CLIENT, TcpFlags.SYN, 0, SYN_ACK);
      }
      case SYN_ACK -> segment(slot, SERVER, TcpFlags.SYN_ACK, 0, HANDSHAKE_ACK);
      case HANDSHAKE_ACK ->
          segment(slot, CLIENT, TcpFlags.ACK, 0, sending == SERVER ? REQUEST : DATA);
      case REQUEST -> segment(slot, CLIENT, TcpFlags.PSH_ACK, payload(slot, 80, 600), DATA);
      case DATA -> nextData(slot, sending);
      case DATA_ACK -> {
        unacknowledged[slot] = 0;
        segment(slot, 1 - sending, TcpFlags.ACK, 0, remaining[slot] == 0 ? FIN : DATA);
      }
      case FIN -> segment(slot, sending, TcpFlags.FIN_ACK, 0, FIN_REPLY);
      case FIN_REPLY -> segment(slot, 1 - sending, TcpFlags.FIN_ACK, 0, LAST_ACK);
      case LAST_ACK -> {
        segment(slot, sending, TcpFlags.ACK, 0, SYN);
        ended = true;
      }
      default -> throw new AssertionError("slot " + slot + " is in phase " + phase[slot]);
    }
  }

  private void nextData(int slot, int sending) {
    boolean last = --remaining[slot] == 0;
    boolean ackDue = ++unacknowledged[slot] == SEGMENTS_PER_ACK || last;
    segment(
        slot,
        sending,
        last ? TcpFlags.PSH_ACK : TcpFlags.ACK,
        last ? payload(slot, 1, fullPayload[slot]) : fullPayload[slot],
        ackDue ? DATA_ACK : DATA);
  }

  private void open(int slot, Conversation conversation) {
    long initial = random.nextLong();
    nextSequence[2 * slot] = (int) initial;
    nextSequence[2 * slot + 1] = (int) (initial >>> 32);
    remaining[slot] =
        conversation == Conversation.TCP_BULK ? random.between(400, 8000) : random.between(1, 12);
  }

  private void segment(int slot, int from, int tcpFlags, int payload, byte nextPhase) {
    int mine = 2 * slot + from;
    direction = from;
    flags = tcpFlags;
    payloadBytes = payload;
    sequence = nextSequence[mine];
    acknowledgement = (tcpFlags & TcpFlags.ACK) == 0 ? 0 : nextSequence[mine ^ 1];
    int phantomByte = (tcpFlags & (TcpFlags.SYN | TcpFlags.FIN)) == 0 ? 0 : 1;
    nextSequence[mine] = sequence + payload + phantomByte;
    phase[slot] = nextPhase;
  }

  private void nextDns(int slot) {
    boolean question = phase[slot] == FIRST_DATAGRAM;
    alternate(slot, question ? payload(slot, 30, 60) : payload(slot, 60, 500));
    ended = !question;
  }

  private void nextQuic(int slot) {
    int sending = sender[slot];
    switch (phase[slot]) {
      case FIRST_DATAGRAM -> {
        remaining[slot] = random.between(500, 8000);
        datagram(CLIENT, quicPayload(slot));
        phase[slot] = DATA;
      }
      case DATA -> {
        datagram(sending, quicPayload(slot));
        boolean last = --remaining[slot] == 0;
        boolean ackDue = ++unacknowledged[slot] == DATAGRAMS_PER_ACK || last;
        phase[slot] = ackDue ? DATA_ACK : DATA;
      }
      case DATA_ACK -> {
        datagram(1 - sending, fixedSize ? fullPayload[slot] : QUIC_ACK_BYTES);
        unacknowledged[slot] = 0;
        ended = remaining[slot] == 0;
        phase[slot] = ended ? FIRST_DATAGRAM : DATA;
      }
      default -> throw new AssertionError("slot " + slot + " is in phase " + phase[slot]);
    }
  }

  private int quicPayload(int slot) {
    return fixedSize ? fullPayload[slot] : QUIC_PAYLOAD_BYTES;
  }

  private void alternate(int slot, int payload) {
    datagram(phase[slot], payload);
    phase[slot] ^= 1;
  }

  private void datagram(int from, int payload) {
    direction = from;
    payloadBytes = payload;
  }

  private int payload(int slot, int low, int high) {
    return fixedSize ? fullPayload[slot] : random.between(low, high);
  }
}
