// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.lang.foreign.MemorySegment;

/** Bursts of one UDP flow: all its packets go from the client to the server. */
final class MicroburstTraffic extends ExtraTraffic {
  private static final int CLIENT_PORT = 4_000;
  private static final int SERVER_PORT = 5001;

  private static final FlowTraits TRAITS = new FlowTraits(FlowTraits.Protocol.UDP, false, 0);
  private static final int TIME_TO_LIVE = 61;

  private final Microbursts bursts;
  private final Hosts hosts;
  private final FrameTemplate frame = new FrameTemplate();
  private final long[] tally = new long[FlowTally.WORDS];
  private final int client;
  private final int frameBytes;
  private final long gapNs;
  private long burstStartNs;
  private int sentOfBurst;

  MicroburstTraffic(Microbursts bursts, SyntheticOptions options, Hosts hosts) {
    this.bursts = bursts;
    this.hosts = hosts;
    client = Hosts.host(hosts.drawClient());
    frameBytes =
        options.frameBytes() == SyntheticOptions.MIX
            ? Microbursts.FRAME_BYTES
            : options.frameBytes();
    gapNs = bursts.gapNs(frameBytes);
    burstStartNs = options.startNs() + bursts.interval().toNanos();
    nextNs = burstStartNs;
    FlowTally.reset(tally, 0);
  }

  @Override
  int writeNext(MemorySegment frames, long offset) {
    frame.begin(frames, offset);
    frame.ethernet(true, TRAITS);
    frame.ip(TRAITS, 0, 0, TIME_TO_LIVE);
    frame.address(hosts.clients(), client, false);
    frame.address(hosts.servers(), Hosts.BURST_SERVER, false);
    frame.covered((CLIENT_PORT << Short.SIZE) | SERVER_PORT);
    frame.covered(0);
    frame.finish(TRAITS, frameBytes - TRAITS.transportOffset());
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
    return new FlowTuple(
        hosts.clients().endpoint(client, false),
        hosts.servers().endpoint(Hosts.BURST_SERVER, false),
        TRAITS.ipProtocol(),
        CLIENT_PORT,
        SERVER_PORT);
  }
}
