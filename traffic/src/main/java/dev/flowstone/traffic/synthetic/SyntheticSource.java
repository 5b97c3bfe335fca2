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
 * Made-up traffic of a backbone link: a seeded mix of flows, with a SYN flood and microbursts on
 * demand. Frames have real headers and true checksums, and show their first {@value
 * FrameSlots#BYTES} bytes; the payload behind is all 0x55. Knows exactly what it has sent: see
 * {@link #truth()}, written to the truth file on close.
 */
public final class SyntheticSource implements PacketSource {
  private final Arena arena = Arena.ofShared();
  private final SyntheticOptions options;
  private final FrameSlots slots;
  private final FlowLedger ledger;
  private final Hosts hosts;
  private final Flow[] flows;
  private final SinglePackets singles;
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
    ledger = new FlowLedger();
    SplittableRandom random = new SplittableRandom(options.seed());
    hosts = new Hosts(random.split());
    slots = new FrameSlots(options.startNs(), arena);
    FlowSetting setting = setting(random);
    flows = FlowPopulation.make(options, setting);
    singles = new SinglePackets(options, setting, slots);
    Trains trains = new Trains(options, setting.blocks(), random.split());
    mix = new MixTraffic(flows, setting, slots, trains, singles);
    flood = options.flood().map(f -> new SynFloodTraffic(f, options, hosts, ledger));
    microbursts = options.microbursts().map(m -> new MicroburstTraffic(m, options, hosts));
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

  private FlowSetting setting(SplittableRandom random) {
    FlowBlocks blocks = new FlowBlocks(options.flows());
    FlowSizes sizes = new FlowSizes(options.frameBytes(), options.orderly());
    PacketClock clock = new PacketClock(options, random.split());
    return new FlowSetting(
        blocks,
        ledger,
        hosts,
        sizes,
        new SegmentWriter(blocks, slots, clock, sizes),
        new DatagramWriter(blocks, slots, clock, sizes),
        new FrameTemplate(),
        clock,
        random.split());
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
        slots.append(0, timeNs, extra.writeNext(slots.memory(), slots.offset()));
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
      TruthCollector collector = new TruthCollector(ledger, hosts);
      for (Flow flow : flows) {
        collector.add(flow);
      }
      collector.add(singles);
      flood.ifPresent(collector::add);
      microbursts.ifPresent(collector::add);
      truth = collector.collect(options, counters(), slots.latestNs());
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
