// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.lang.foreign.MemorySegment;

/**
 * SYNs to port 80 of one server, evenly spaced. Source i mod n sends from port 1024 + i / n, so
 * that 5-tuples repeat only after all sources have used all ports.
 */
final class SynFloodTraffic extends ExtraTraffic {
  static final int VICTIM_PORT = 80;

  /** 198.18.0.0/15 and what follows: no host of the mix has these addresses. */
  private static final int FIRST_SOURCE = 0xC612_0000;

  private static final int FIRST_PORT = 1024;
  private static final int PORTS = 65536 - FIRST_PORT;
  private static final FlowTraits TRAITS = new FlowTraits(FlowTraits.Protocol.TCP, false, 0);
  private static final int TIME_TO_LIVE = 52;
  private static final int WINDOW = 1024;
  private static final int HEADER_BYTES = SegmentWriter.HEADER_BYTES;
  private static final int SECOND_NS = 1_000_000_000;

  /** Odd: steps through the numbers below any power of two in a scattered order. */
  private static final int SEQUENCE_STEP = 0x9E3779B1;

  private final SynFlood flood;
  private final Hosts hosts;
  private final FrameTemplate frame = new FrameTemplate();
  private final FlowLedger ledger;
  private final int frameBytes;
  private final long startNs;
  private final long total;

  SynFloodTraffic(SynFlood flood, SyntheticOptions options, Hosts hosts, FlowLedger ledger) {
    this.flood = flood;
    this.hosts = hosts;
    this.ledger = ledger;
    frameBytes = Math.max(SyntheticOptions.SMALLEST_FRAME_BYTES, options.frameBytes());
    startNs = options.startNs() + flood.start().toNanos();
    total =
        Math.max(
            1, (long) (flood.duration().toNanos() * (double) flood.packetsPerSecond() / SECOND_NS));
    nextNs = startNs;
  }

  @Override
  int writeNext(MemorySegment frames, long offset) {
    frame.begin(frames, offset);
    frame.ethernet(true, TRAITS);
    frame.ip(TRAITS, 0, 0, TIME_TO_LIVE);
    frame.address(FIRST_SOURCE + (int) (packets % flood.sources()));
    frame.address(hosts.servers(), Hosts.VICTIM, false);
    int port = FIRST_PORT + (int) (packets / flood.sources() % PORTS);
    frame.covered((port << Short.SIZE) | VICTIM_PORT);
    frame.covered((int) packets * SEQUENCE_STEP);
    frame.covered(0);
    frame.covered(SegmentWriter.flagsWord(SegmentWriter.HEADER_WORDS, SegmentWriter.SYN, WINDOW));
    frame.covered(0);
    frame.finish(TRAITS, HEADER_BYTES);
    ledger.synSent(Hosts.destination(Hosts.VICTIM, false), nextNs);
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

  SyntheticTruth.Flood figures() {
    String victim = hosts.servers().endpoint(Hosts.VICTIM, false).text();
    return new SyntheticTruth.Flood(startNs, timeNs(packets - 1), victim, packets);
  }

  /** SYNs that have a 5-tuple of their own. */
  long distinctTuples() {
    return Math.min(packets, (long) flood.sources() * PORTS);
  }
}
