// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

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
  private static final int CHECKSUM_OFFSET = 10;
  private static final int SEGMENTS_PER_ACK = 2;
  private static final int WINDOW = 0xFFFF;

  /** What the next packet is, who sends it with which flags; TRANSFER has many packets. */
  private enum Step {
    OPEN(true, SYN),
    ACCEPT(false, SYN | ACK),
    CONFIRM(true, ACK),
    TRANSFER(true, PSH | ACK),
    CLOSE(true, FIN | ACK),
    CLOSE_BACK(false, FIN | ACK),
    LAST_ACK(true, ACK);

    final boolean fromClient;
    final int flags;

    Step(boolean fromClient, int flags) {
      this.fromClient = fromClient;
      this.flags = flags;
    }
  }

  private final SplittableRandom random;
  private final int smallestFrameBytes;
  private final int segmentBytes;
  private final int meanSegments;
  private final boolean dataFromClient;
  private final int ipOffset;
  private final int tcpOffset;
  private final int headersSum;
  private Step step = Step.OPEN;
  private int clientSequence;
  private int serverSequence;
  private int segmentsLeft;
  private int unacknowledged;

  TcpFlow(
      int rank,
      FlowTraits traits,
      Endpoint client,
      Endpoint server,
      FlowSizes sizes,
      MemorySegment templates,
      FlowLedger ledger,
      SplittableRandom random) {
    super(rank, traits, client, server, templates, ledger);
    this.random = random;
    smallestFrameBytes = sizes.smallestFrameBytes();
    meanSegments = sizes.meanPackets();
    dataFromClient = random.nextInt(4) == 0;
    clientPort = FIRST_CLIENT_PORT + random.nextInt(CLIENT_PORTS);
    serverPort = sizes.serverPort();
    FrameTemplate request = template(true);
    template(false);
    tcpOffset = request.position();
    ipOffset = tcpOffset - FrameTemplate.ipBytes(traits);
    headersSum = ipv4Sum(request);
    segmentBytes = sizes.payloadBytes(tcpOffset + HEADER_BYTES, traits);
  }

  private FrameTemplate template(boolean fromClient) {
    FrameTemplate template = newTemplate(fromClient);
    Endpoint from = fromClient ? client : server;
    Endpoint to = fromClient ? server : client;
    template.ethernet(from, to, traits);
    template.ip(from, to, traits, HEADER_BYTES);
    int start = template.position();
    MemorySegment header = template.bytes.asSlice(start, HEADER_BYTES).fill((byte) 0);
    header.set(FrameTemplate.SHORT, 0, (short) (fromClient ? clientPort : serverPort));
    header.set(FrameTemplate.SHORT, 2, (short) (fromClient ? serverPort : clientPort));
    header.set(JAVA_BYTE, 12, (byte) ((HEADER_BYTES / 4) << 4));
    header.set(FrameTemplate.SHORT, 14, (short) WINDOW);
    return template;
  }

  /** Sum of the IPv4 header without length and checksum, the same in both directions. */
  private int ipv4Sum(FrameTemplate template) {
    if (traits.ipv6()) {
      return 0;
    }
    int sum = 0;
    for (int i = 0; i < FrameTemplate.ipBytes(traits); i += Short.BYTES) {
      if (i != 2 && i != CHECKSUM_OFFSET) {
        sum += Short.toUnsignedInt(template.bytes.get(FrameTemplate.SHORT, (long) ipOffset + i));
      }
    }
    return sum;
  }

  @Override
  int writeNext(MemorySegment frames, long offset, long timeNs) {
    if (step != Step.TRANSFER) {
      return writeControl(frames, offset, timeNs);
    }
    boolean data = unacknowledged < SEGMENTS_PER_ACK && segmentsLeft > 0;
    if (data) {
      unacknowledged++;
      segmentsLeft--;
    } else {
      unacknowledged = 0;
      if (segmentsLeft == 0) {
        step = Step.CLOSE;
      }
    }
    // The receiver of the data sends the acknowledgements.
    return send(
        data == dataFromClient,
        data ? PSH | ACK : ACK,
        data ? segmentBytes : 0,
        frames,
        offset,
        timeNs);
  }

  /** The packets that open and close the connection: few, so they may take their time. */
  private int writeControl(MemorySegment frames, long offset, long timeNs) {
    Step now = step;
    switch (now) {
      case OPEN -> {
        open(timeNs);
        step = Step.ACCEPT;
      }
      case ACCEPT -> {
        ledger().synAckSent();
        step = Step.CONFIRM;
      }
      case CONFIRM, TRANSFER -> step = Step.TRANSFER;
      case CLOSE -> {
        ledger().finSent();
        step = Step.CLOSE_BACK;
      }
      case CLOSE_BACK -> {
        ledger().finSent();
        step = Step.LAST_ACK;
      }
      case LAST_ACK -> step = Step.OPEN;
    }
    int wireBytes = send(now.fromClient, now.flags, 0, frames, offset, timeNs);
    if (now == Step.LAST_ACK) {
      endLife(tcpOffset);
    }
    return wireBytes;
  }

  private void open(long timeNs) {
    clientSequence = random.nextInt();
    serverSequence = random.nextInt();
    segmentsLeft = Math.max(1, meanSegments / 2 + random.nextInt(meanSegments + 1));
    unacknowledged = 0;
    ledger().synSent(rank, timeNs);
  }

  private int send(
      boolean fromClient,
      int flags,
      int payloadBytes,
      MemorySegment frames,
      long offset,
      long timeNs) {
    copyTemplate(fromClient, frames, offset);
    patchIpLength(frames, offset + ipOffset, HEADER_BYTES + payloadBytes);
    long tcp = offset + tcpOffset;
    frames.set(FrameTemplate.LONG, tcp + SEQUENCE_OFFSET, sequenceWords(fromClient, flags));
    frames.set(JAVA_BYTE, tcp + FLAGS_OFFSET, (byte) flags);
    // SYN and FIN each take a sequence number.
    int advance = payloadBytes + ((flags & (SYN | FIN)) != 0 ? 1 : 0);
    if (fromClient) {
      clientSequence += advance;
    } else {
      serverSequence += advance;
    }
    int wireBytes = Math.max(smallestFrameBytes, tcpOffset + HEADER_BYTES + payloadBytes);
    tally(fromClient, timeNs, wireBytes);
    return wireBytes;
  }

  private long sequenceWords(boolean fromClient, int flags) {
    int sequence = fromClient ? clientSequence : serverSequence;
    int acknowledgement = fromClient ? serverSequence : clientSequence;
    return ((long) sequence << Integer.SIZE)
        | ((flags & ACK) != 0 ? Integer.toUnsignedLong(acknowledgement) : 0);
  }

  private void patchIpLength(MemorySegment frames, long ip, int payloadBytes) {
    if (traits.ipv6()) {
      frames.set(FrameTemplate.SHORT, ip + 4, (short) payloadBytes);
      return;
    }
    int length = FrameTemplate.ipBytes(traits) + payloadBytes;
    frames.set(FrameTemplate.SHORT, ip + 2, (short) length);
    frames.set(
        FrameTemplate.SHORT,
        ip + CHECKSUM_OFFSET,
        (short) ~FrameTemplate.fold(headersSum + length));
  }
}
