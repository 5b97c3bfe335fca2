// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Bursts of one UDP flow: all its packets go from the client to the server. */
final class MicroburstTraffic extends ExtraTraffic {
  private static final int CLIENT_PORT = 40_000;
  private static final int SERVER_PORT = 5001;

  private final Microbursts bursts;
  private final MemorySegment template;
  private final long[] tally = new long[FlowTally.WORDS];
  private final FlowTuple tuple;
  private final int frameBytes;
  private final long gapNs;
  private long burstStartNs;
  private int sentOfBurst;

  MicroburstTraffic(
      Microbursts bursts, SyntheticOptions options, Endpoint client, Endpoint server, Arena arena) {
    this.bursts = bursts;
    frameBytes = options.frameBytes() == 0 ? Microbursts.FRAME_BYTES : options.frameBytes();
    gapNs = bursts.gapNs(frameBytes);
    burstStartNs = options.startNs() + bursts.interval().toNanos();
    nextNs = burstStartNs;
    FlowTraits traits = new FlowTraits(FlowTraits.Protocol.UDP, false, 0);
    tuple = new FlowTuple(client, server, traits.ipProtocol(), CLIENT_PORT, SERVER_PORT);
    FlowTally.reset(tally, 0);
    template = arena.allocate(FrameTemplate.BYTES);
    FrameTemplate frame = new FrameTemplate(template);
    frame.ethernet(client, server, traits);
    int udpBytes = frameBytes - frame.position() - FrameTemplate.ipBytes(traits);
    frame.ip(client, server, traits, udpBytes);
    frame.u16(CLIENT_PORT).u16(SERVER_PORT).u16(udpBytes).u16(0);
  }

  @Override
  int writeNext(MemorySegment frames, long offset) {
    MemorySegment.copy(template, 0, frames, offset, FrameTemplate.BYTES);
    FlowTally.add(tally, 0, nextNs, frameBytes);
    packets++;
    bytes += frameBytes;
    if (++sentOfBurst == bursts.packets()) {
      sentOfBurst = 0;
      burstStartNs += bursts.interval().toNanos();
      nextNs = burstStartNs;
    } else {
      nextNs += gapNs;
    }
    return frameBytes;
  }

  TallyFigures figures() {
    return FlowTally.figures(tally, 0);
  }

  FlowTuple tuple() {
    return tuple;
  }
}
