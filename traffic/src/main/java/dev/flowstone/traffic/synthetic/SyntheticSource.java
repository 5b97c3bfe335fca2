// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import dev.flowstone.model.abi.RingClock;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.raw.SourceCounters;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Made-up traffic: a seeded mix of flows whose sizes follow Zipf's law, with a SYN flood and
 * microbursts on demand. Frames have real headers and show their first {@value FrameSlots#BYTES}
 * bytes. Knows exactly what it has sent: see {@link #truth()}, written to the truth file on close.
 */
public final class SyntheticSource implements PacketSource {
  private final Arena arena = Arena.ofShared();
  private final SyntheticOptions options;
  private final FrameSlots slots;
  private final FlowLedger ledger;
  private final Flow[] flows;
  private final MixTraffic mix;
  private final List<ExtraTraffic> extras = new ArrayList<>();
  private final Optional<SynFloodTraffic> flood;
  private final Optional<MicroburstTraffic> microbursts;
  private final long endNs;
  private final long packetLimit;
  private long extraNs = ExtraTraffic.NEVER;
  private boolean ended;
  private SyntheticTruth truth;

  public SyntheticSource(SyntheticOptions options) {
    this.options = options;
    int victim = options.flows();
    // Two destinations beyond those of the mix: the flood's and the microbursts'.
    ledger = new FlowLedger(options.flows() + 2);
    SplittableRandom setup = new SplittableRandom(options.seed());
    SplittableRandom random = setup.split();
    FlowBlocks blocks = new FlowBlocks(options.flows());
    flows = FlowPopulation.make(options, blocks, ledger, setup);
    slots = new FrameSlots(options.startNs(), arena);
    mix = new MixTraffic(options, flows, blocks, slots, random);
    flood =
        options.flood().map(f -> new SynFloodTraffic(f, options, victim(), victim, ledger, arena));
    microbursts =
        options
            .microbursts()
            .map(
                m ->
                    new MicroburstTraffic(
                        m,
                        options,
                        Endpoint.client(0, false),
                        Endpoint.server(victim + 2, false),
                        arena));
    flood.ifPresent(extras::add);
    microbursts.ifPresent(extras::add);
    packetLimit =
        options.packets() == SyntheticOptions.UNLIMITED ? Long.MAX_VALUE : options.packets();
    endNs =
        options.duration().isZero()
            ? Long.MAX_VALUE
            : options.startNs() + options.duration().toNanos();
    findNextExtra();
  }

  private Endpoint victim() {
    return Endpoint.server(options.flows() + 1, false);
  }

  @Override
  public int fill(RawPacketBatch batch) {
    slots.begin(batch, packetLimit - slots.packets());
    while (!ended && slots.room() > 0) {
      mix.write(Math.min(extraNs, endNs));
      if (slots.room() > 0) {
        writeExtra();
      }
    }
    slots.end();
    return batch.count() == 0 ? END : batch.count();
  }

  /** The mix has nothing before the end or before what comes on top of it. */
  private void writeExtra() {
    long timeNs = extraNs;
    if (timeNs >= endNs) {
      ended = true;
      return;
    }
    for (ExtraTraffic extra : extras) {
      if (extra.nextNs == timeNs) {
        slots.append(timeNs, extra.writeNext(slots.memory(), slots.offset()));
        break;
      }
    }
    findNextExtra();
  }

  private void findNextExtra() {
    extraNs = ExtraTraffic.NEVER;
    for (ExtraTraffic extra : extras) {
      extraNs = Math.min(extraNs, extra.nextNs);
    }
  }

  /** What was generated so far. Ends the run: nothing more can be filled in. */
  public SyntheticTruth truth() {
    ended = true;
    if (truth == null) {
      truth =
          new TruthCollector(flows, ledger, flood, microbursts)
              .collect(options, counters(), victim(), slots.latestNs());
    }
    return truth;
  }

  @Override
  public int clock() {
    return RingClock.SYNTHETIC;
  }

  @Override
  public SourceCounters counters() {
    return new SourceCounters(
        slots.packets(), slots.wireBytes(), slots.capturedBytes(), 0, 0, Map.of(), List.of());
  }

  @Override
  public double progress() {
    double byPackets =
        options.packets() == SyntheticOptions.UNLIMITED
            ? Double.NaN
            : (double) slots.packets() / options.packets();
    if (options.duration().isZero()) {
      return byPackets;
    }
    double byTime =
        Math.min(1, (slots.latestNs() - options.startNs()) / (double) options.duration().toNanos());
    return Double.isNaN(byPackets) ? byTime : Math.max(byTime, byPackets);
  }

  @Override
  public void close() {
    try {
      options.truthFile().ifPresent(file -> truth().write(file));
    } finally {
      arena.close();
    }
  }
}
