// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The packets of a SYN flood, one after the other.
 *
 * <p>Source n is a permutation of the 45 bits of 32.0.0.0/3 and a port, applied to n: it looks
 * random and never comes twice.
 */
final class FloodStream {
  static final int WIRE_BYTES = 14 + 20 + FrameWriter.SYN_TCP_BYTES;
  static final long NEVER = Long.MAX_VALUE;

  private static final int ETHERNET_BYTES = 14;
  private static final int TRANSPORT_OFFSET = ETHERNET_BYTES + 20;
  private static final int SOURCE_NETWORK = 0x2000_0000;
  private static final long SOURCE_MASK = (1L << 45) - 1;

  private final MemorySegment template;
  private final Pace pace;
  private final XorShift random;
  private final long endNs;
  private final int checksumWithoutSource;
  private final long firstSource;
  private long sent;

  FloodStream(SynFlood flood, long startNs, Arena arena, XorShift random) {
    this.random = random;
    pace = new Pace(flood.firstNs(startNs), flood.packetsPerSecond(), random);
    endNs = flood.endNs(startNs);
    firstSource = random.nextLong();
    template = arena.allocate(FrameTemplates.FRAME_BYTES, FrameTemplates.FRAME_BYTES);
    writeTemplate(flood);
    int sum = 0;
    for (int i = ETHERNET_BYTES; i < TRANSPORT_OFFSET; i += 2) {
      sum += template.get(FrameTemplates.SHORT, i) & 0xffff;
    }
    checksumWithoutSource = sum;
  }

  /** Scheduled time of the next SYN, {@link #NEVER} after the flood. */
  long nextTimeNs() {
    long timeNs = pace.nextTimeNs();
    return timeNs < endNs ? timeNs : NEVER;
  }

  void write(MemorySegment frames, long frame) {
    pace.advance();
    FrameWriter.copyTemplate(template, 0, frames, frame);
    long source = permute(firstSource + sent++);
    int address = SOURCE_NETWORK | (int) (source >>> 16);
    int sum = checksumWithoutSource + (address >>> 16) + (address & 0xffff);
    frames.set(
        FrameTemplates.SHORT, frame + ETHERNET_BYTES + 10, (short) ~FrameTemplates.fold(sum));
    frames.set(FrameTemplates.INT, frame + ETHERNET_BYTES + 12, address);
    frames.set(FrameTemplates.SHORT, frame + TRANSPORT_OFFSET, (short) source);
    frames.set(FrameTemplates.INT, frame + TRANSPORT_OFFSET + 4, (int) random.nextLong());
  }

  /** Odd multiplications and xor-shifts can be undone, so no two numbers share an image. */
  static long permute(long number) {
    long x = number & SOURCE_MASK;
    x = x * 0x9E3779B97F4A7C15L & SOURCE_MASK;
    x ^= x >>> 22;
    x = x * 0xBF58476D1CE4E5B9L & SOURCE_MASK;
    return x ^ x >>> 23;
  }

  private void writeTemplate(SynFlood flood) {
    template.set(FrameTemplates.INT, 0, 0x0200_0000);
    template.set(FrameTemplates.SHORT, 4, (short) 2);
    template.set(FrameTemplates.INT, 6, 0x0200_0000);
    template.set(FrameTemplates.SHORT, 10, (short) 1);
    template.set(FrameTemplates.SHORT, 12, (short) 0x0800);
    template.set(FrameTemplates.SHORT, ETHERNET_BYTES, (short) 0x4500);
    template.set(FrameTemplates.SHORT, ETHERNET_BYTES + 2, (short) (WIRE_BYTES - ETHERNET_BYTES));
    template.set(FrameTemplates.SHORT, ETHERNET_BYTES + 6, (short) 0x4000);
    template.set(JAVA_BYTE, ETHERNET_BYTES + 8, (byte) 64);
    template.set(JAVA_BYTE, ETHERNET_BYTES + 9, (byte) 6);
    template.set(FrameTemplates.INT, ETHERNET_BYTES + 16, flood.victimBits());
    template.set(FrameTemplates.SHORT, TRANSPORT_OFFSET + 2, (short) flood.victimPort());
    template.set(JAVA_BYTE, TRANSPORT_OFFSET + 13, (byte) TcpFlags.SYN);
    template.set(FrameTemplates.SHORT, TRANSPORT_OFFSET + 14, (short) 64_240);
    FrameWriter.writeSynOptions(template, TRANSPORT_OFFSET);
  }
}
