// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * SYNs to port 80 of one server, evenly spaced. Source i mod n sends from port 1024 + i / n, so
 * that 5-tuples repeat only after all sources have used all ports.
 */
final class SynFloodTraffic extends ExtraTraffic {
  static final int VICTIM_PORT = 80;
  private static final int TCP_HEADER_BYTES = 20;
  private static final int SYN = 0x02;
  private static final int SECOND_NS = 1_000_000_000;

  /** Odd: steps through the numbers below any power of two in a scattered order. */
  private static final int SEQUENCE_STEP = 0x9E3779B1;

  private final SynFlood flood;
  private final FlowLedger ledger;
  private final MemorySegment template;
  private final int victimDestination;
  private final int frameBytes;
  private final int ipOffset;
  private final int tcpOffset;
  private final int headersSum;
  private final long startNs;
  private final long total;

  SynFloodTraffic(
      SynFlood flood,
      SyntheticOptions options,
      Endpoint victim,
      int victimDestination,
      FlowLedger ledger,
      Arena arena) {
    this.flood = flood;
    this.ledger = ledger;
    this.victimDestination = victimDestination;
    frameBytes = Math.max(SyntheticOptions.SMALLEST_FRAME_BYTES, options.frameBytes());
    startNs = options.startNs() + flood.start().toNanos();
    total =
        Math.max(
            1, (long) (flood.duration().toNanos() * (double) flood.packetsPerSecond() / SECOND_NS));
    template = arena.allocate(FrameTemplate.BYTES);
    FrameTemplate frame = new FrameTemplate(template);
    FlowTraits traits = new FlowTraits(FlowTraits.Protocol.TCP, false, 0);
    Endpoint router = new Endpoint(0x0200_0000_0001L, new byte[Integer.BYTES]);
    frame.ethernet(router, victim, traits);
    ipOffset = frame.position();
    frame.ip(router, victim, traits, TCP_HEADER_BYTES);
    tcpOffset = frame.position();
    headersSum = ~template.get(FrameTemplate.SHORT, ipOffset + 10L) & 0xFFFF;
    template.asSlice(tcpOffset, TCP_HEADER_BYTES).fill((byte) 0);
    template.set(FrameTemplate.SHORT, tcpOffset + 2L, (short) VICTIM_PORT);
    template.set(JAVA_BYTE, tcpOffset + 12L, (byte) ((TCP_HEADER_BYTES / 4) << 4));
    template.set(JAVA_BYTE, tcpOffset + 13L, (byte) SYN);
    nextNs = startNs;
  }

  @Override
  int writeNext(MemorySegment frames, long offset) {
    int source = Endpoint.floodSource((int) (packets % flood.sources()));
    int port = Flow.FIRST_CLIENT_PORT + (int) (packets / flood.sources() % Flow.CLIENT_PORTS);
    MemorySegment.copy(template, 0, frames, offset, FrameTemplate.BYTES);
    frames.set(FrameTemplate.INT, offset + ipOffset + 12, source);
    int sum = headersSum + (source >>> Short.SIZE) + (source & 0xFFFF);
    frames.set(FrameTemplate.SHORT, offset + ipOffset + 10, (short) ~FrameTemplate.fold(sum));
    frames.set(FrameTemplate.SHORT, offset + tcpOffset, (short) port);
    frames.set(FrameTemplate.INT, offset + tcpOffset + 4, (int) packets * SEQUENCE_STEP);
    ledger.synSent(victimDestination, nextNs);
    packets++;
    bytes += frameBytes;
    nextNs = packets == total ? NEVER : timeNs(packets);
    return frameBytes;
  }

  /** Time of the n-th SYN, from the start and not from the one before: the rate is exact. */
  private long timeNs(long number) {
    long rate = flood.packetsPerSecond();
    return startNs + number / rate * SECOND_NS + number % rate * SECOND_NS / rate;
  }

  SyntheticTruth.Flood figures(Endpoint victim) {
    return new SyntheticTruth.Flood(startNs, timeNs(packets - 1), victim.text(), packets);
  }

  /** SYNs that have a 5-tuple of their own. */
  long distinctTuples() {
    return Math.min(packets, (long) flood.sources() * Flow.CLIENT_PORTS);
  }
}
