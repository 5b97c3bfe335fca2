// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import dev.flowstone.model.abi.RingClock;
import dev.flowstone.tap.PacketSource;
import dev.flowstone.tap.RawPacketBatch;
import dev.flowstone.tap.SourceCounters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Made-up traffic: a seeded mix of flows whose sizes follow Zipf's law, with a SYN flood and
 * microbursts on demand. Frames have real headers and show their first {@value FrameTemplate#BYTES}
 * bytes. Knows exactly what it has sent: see {@link #truth()}, written to the truth file on close.
 */
public final class SyntheticSource implements PacketSource {
  private static final int FRAME_SLOTS = RawPacketBatch.DEFAULT_CAPACITY;
  private static final int LINK_TYPE_ETHERNET = 1;
  private static final long FRACTION_MASK = (1L << ArrivalGaps.FRACTION_BITS) - 1;

  private final Arena arena = Arena.ofShared();
  private final SyntheticOptions options;
  private final MemorySegment frames =
      arena.allocate((long) FRAME_SLOTS * FrameTemplate.BYTES, FrameTemplate.BYTES);
  private final SplittableRandom random;
  private final FlowLedger ledger;
  private final Flow[] flows;
  private final ZipfPicker picker;
  private final ArrivalGaps gaps;
  private final List<ExtraTraffic> extras = new ArrayList<>();
  private final Optional<SynFloodTraffic> flood;
  private final Optional<MicroburstTraffic> microbursts;
  private final long endNs;
  private final long packetLimit;
  private final int longestTrain;
  private Flow sender;
  private int trainLeft;
  private long mixNs;
  private long mixFraction;
  private long extraNs = ExtraTraffic.NEVER;
  private long packets;
  private long wireBytes;
  private long capturedBytes;
  private long latestNs;
  private boolean ended;
  private SyntheticTruth truth;

  public SyntheticSource(SyntheticOptions options) {
    this.options = options;
    int victim = options.flows();
    // Two destinations beyond those of the mix: the flood's and the microbursts'.
    ledger = new FlowLedger(options.flows() + 2);
    SplittableRandom setup = new SplittableRandom(options.seed());
    random = setup.split();
    flows = FlowPopulation.make(options, ledger, setup, arena);
    picker = new ZipfPicker(options.flows());
    longestTrain = 2 * options.trainPackets() - 1;
    gaps = new ArrivalGaps(options.packetsPerSecond(), options.gaps());
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
    mixNs = options.startNs();
    latestNs = mixNs;
    findNextExtra();
  }

  private Endpoint victim() {
    return Endpoint.server(options.flows() + 1, false);
  }

  @Override
  public int fill(RawPacketBatch batch) {
    batch.begin(frames);
    int room = Math.min(batch.capacity(), FRAME_SLOTS);
    int wanted = (int) Math.min(room, packetLimit - packets);
    for (int i = 0; i < wanted && !ended; i++) {
      if (extraNs <= mixNs) {
        addExtra(batch, i * (long) FrameTemplate.BYTES);
      } else {
        addFromMix(batch, i * (long) FrameTemplate.BYTES);
      }
    }
    packets += batch.count();
    return batch.count() == 0 ? END : batch.count();
  }

  private void addFromMix(RawPacketBatch batch, long offset) {
    long timeNs = mixNs;
    if (timeNs >= endNs) {
      ended = true;
      return;
    }
    long bits = random.nextLong();
    if (trainLeft == 0) {
      startTrain(bits);
    }
    trainLeft--;
    append(batch, offset, timeNs, sender.writeNext(frames, offset, timeNs));
    long fraction = mixFraction + gaps.choose(bits);
    mixNs = timeNs + (fraction >>> ArrivalGaps.FRACTION_BITS);
    mixFraction = fraction & FRACTION_MASK;
  }

  /** Lengths from 1 to twice the mean less 1, all alike likely. */
  private void startTrain(long bits) {
    sender = flows[picker.pick(bits)];
    trainLeft = 1 + random.nextInt(longestTrain);
  }

  private void addExtra(RawPacketBatch batch, long offset) {
    long timeNs = extraNs;
    if (timeNs >= endNs) {
      ended = true;
      return;
    }
    for (ExtraTraffic extra : extras) {
      if (extra.nextNs == timeNs) {
        append(batch, offset, timeNs, extra.writeNext(frames, offset));
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

  private void append(RawPacketBatch batch, long offset, long timeNs, int frameBytes) {
    int captured = Math.min(frameBytes, FrameTemplate.BYTES);
    batch.append(offset, timeNs, captured, frameBytes, LINK_TYPE_ETHERNET, 0);
    latestNs = timeNs;
    wireBytes += frameBytes;
    capturedBytes += captured;
  }

  /** What was generated so far. Ends the run: nothing more can be filled in. */
  public SyntheticTruth truth() {
    ended = true;
    if (truth == null) {
      truth =
          new TruthCollector(flows, ledger, flood, microbursts)
              .collect(options, counters(), victim(), latestNs);
    }
    return truth;
  }

  @Override
  public int clock() {
    return RingClock.SYNTHETIC;
  }

  @Override
  public SourceCounters counters() {
    return new SourceCounters(packets, wireBytes, capturedBytes, 0, 0, Map.of(), List.of());
  }

  @Override
  public double progress() {
    double byPackets =
        options.packets() == SyntheticOptions.UNLIMITED
            ? Double.NaN
            : (double) packets / options.packets();
    if (options.duration().isZero()) {
      return byPackets;
    }
    double byTime =
        Math.min(1, (latestNs - options.startNs()) / (double) options.duration().toNanos());
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
