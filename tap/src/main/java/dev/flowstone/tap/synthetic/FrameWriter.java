// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;

/** Turns a chosen packet into bytes: copies its template and patches what differs. */
final class FrameWriter {
  /** Ethernet's shortest frame without the check sequence. */
  static final int MIN_WIRE_BYTES = 60;

  static final int SYN_TCP_BYTES = 40;

  private static final int SYN_TCP_WORDS = SYN_TCP_BYTES / 4;
  private static final long MSS_AND_SACK_PERMITTED = 0x0204_05b4_0402_0101L;
  private static final long WINDOW_SCALE = 0x0103_0307_0101_0101L;
  private static final int NO_OPERATIONS = 0x0101_0101;

  private final TrafficPlan plan;
  private final FrameTemplates templates;
  private final int fixedWireBytes;

  FrameWriter(TrafficPlan plan, FrameTemplates templates, int fixedWireBytes) {
    this.plan = plan;
    this.templates = templates;
    this.fixedWireBytes = fixedWireBytes;
  }

  /** Writes the frame of the packet {@code packet} has chosen; returns its length on the wire. */
  int write(
      MemorySegment frames, long frame, int slot, Conversation conversation, Conversations packet) {
    copyTemplate(
        templates.segment(), FrameTemplates.offset(slot, packet.direction()), frames, frame);
    if (conversation == Conversation.ARP) {
      return wireBytes(FrameTemplates.ARP_FRAME_BYTES);
    }
    int networkOffset = templates.networkOffset(slot);
    int transportOffset = templates.transportOffset(slot);
    long transport = frame + transportOffset;
    int transportBytes;
    if (conversation.isTcp()) {
      transportBytes = writeTcp(frames, transport, packet) + packet.payloadBytes();
    } else {
      transportBytes = FrameTemplates.UDP_BYTES + packet.payloadBytes();
      if (conversation != Conversation.ICMP) {
        frames.set(FrameTemplates.SHORT, transport + 4, (short) transportBytes);
      }
    }
    long network = frame + networkOffset;
    if (plan.ipv6(slot)) {
      frames.set(FrameTemplates.SHORT, network + 4, (short) transportBytes);
    } else {
      writeIpv4Length(frames, network, transportOffset - networkOffset + transportBytes);
    }
    int contentBytes = transportOffset + transportBytes;
    return conversation == Conversation.BURST ? contentBytes : wireBytes(contentBytes);
  }

  /**
   * Copies all of a template, whatever the frame's length, so that no older frame shows through.
   */
  static void copyTemplate(
      MemorySegment templates, long template, MemorySegment frames, long frame) {
    MemorySegment.copy(templates, template, frames, frame, FrameTemplates.FRAME_BYTES);
  }

  /** Sets the total length of a header sealed for length 0, and adds it to the checksum. */
  static void writeIpv4Length(MemorySegment frames, long network, int totalBytes) {
    int sum = ~frames.get(FrameTemplates.SHORT, network + 10) & 0xffff;
    frames.set(FrameTemplates.SHORT, network + 2, (short) totalBytes);
    frames.set(FrameTemplates.SHORT, network + 10, (short) ~FrameTemplates.fold(sum + totalBytes));
  }

  /** Turns the TCP header of a template into that of a SYN, with the usual options. */
  static void writeSynOptions(MemorySegment frames, long transport) {
    frames.set(JAVA_BYTE, transport + 12, (byte) (SYN_TCP_WORDS << 4));
    frames.set(FrameTemplates.LONG, transport + 20, MSS_AND_SACK_PERMITTED);
    frames.set(FrameTemplates.LONG, transport + 28, WINDOW_SCALE);
    frames.set(FrameTemplates.INT, transport + 36, NO_OPERATIONS);
  }

  private static int writeTcp(MemorySegment frames, long transport, Conversations packet) {
    int flags = packet.flags();
    frames.set(FrameTemplates.INT, transport + 4, packet.sequence());
    frames.set(FrameTemplates.INT, transport + 8, packet.acknowledgement());
    frames.set(JAVA_BYTE, transport + 13, (byte) flags);
    if ((flags & TcpFlags.SYN) == 0) {
      return FrameTemplates.TCP_BYTES;
    }
    writeSynOptions(frames, transport);
    return SYN_TCP_BYTES;
  }

  private int wireBytes(int contentBytes) {
    return fixedWireBytes == SyntheticOptions.MIXED_SIZES
        ? Math.max(MIN_WIRE_BYTES, contentBytes)
        : fixedWireBytes;
  }
}
