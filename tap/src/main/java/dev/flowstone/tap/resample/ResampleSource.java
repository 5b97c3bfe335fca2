// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.resample;

import dev.flowstone.model.abi.RingClock;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.raw.SourceCounters;
import dev.flowstone.raw.SourceNotice;
import dev.flowstone.tap.Pacer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Traffic made of captures: each is a template, whose instances start at random times and live side
 * by side, each with addresses and client ports of its own. Sizes, gaps, order and all else in the
 * headers are those of the capture. Captures are in memory; frames show their first {@value
 * Templates#SHOWN_BYTES} bytes.
 */
public final class ResampleSource implements PacketSource {
  /** Instances that live at a time. */
  static final int MOST_INSTANCES = 1 << 20;

  private static final int SLOTS = RawPacketBatch.DEFAULT_CAPACITY;
  private static final double SECOND_NS = 1e9;

  private final Arena arena = Arena.ofShared();
  private final ResampleOptions options;
  private final Templates templates;
  private final FrameRewriter rewriter;
  private final InstanceQueue queue = new InstanceQueue(MOST_INSTANCES);
  private final SplittableRandom random;
  private final MemorySegment slots;
  private final double meanGapNs;
  private final long packetLimit;
  private long nextStartNs;
  private long started;
  private long packets;
  private long wireBytes;
  private long capturedBytes;
  private long keptPackets;

  public ResampleSource(ResampleOptions options) {
    this.options = options;
    nextStartNs = options.startNs();
    packetLimit =
        options.packets() == ResampleOptions.UNLIMITED ? Long.MAX_VALUE : options.packets();
    random = new SplittableRandom(options.seed());
    try {
      templates = TemplateReader.read(options.captures(), arena);
      meanGapNs = templates.meanPackets() / options.packetsPerSecond() * SECOND_NS;
      requireRoom();
      slots = arena.allocate((long) SLOTS * Templates.SHOWN_BYTES, Templates.SHOWN_BYTES);
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
    rewriter = new FrameRewriter(new NewAddresses(random.nextLong(), templates.addresses()));
    if (options.instances() == ResampleOptions.UNLIMITED) {
      startInTheMiddle();
    }
    nextStartNs += drawGapNs(meanGapNs);
  }

  private void requireRoom() {
    double alive = meanAlive();
    // Half as many on average: the number varies round its mean by its square root.
    if (alive > MOST_INSTANCES / 2.0) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "at %,d packets/s %,.0f instances of captures would live at once, at most %,d can; most of"
                  + " %s, which lasts %,d s: lower the rate (--rate), cut that capture or leave it out",
              options.packetsPerSecond(),
              alive,
              MOST_INSTANCES / 2,
              options.captures().get(longest()),
              TimeUnit.NANOSECONDS.toSeconds(templates.durationNs(longest()))));
    }
  }

  private int longest() {
    int longest = 0;
    for (int template = 1; template < templates.count(); template++) {
      if (templates.durationNs(template) > templates.durationNs(longest)) {
        longest = template;
      }
    }
    return longest;
  }

  /** How many instances live at a time, on average. */
  public double meanAlive() {
    double alive = templates.meanDurationNs() / meanGapNs;
    return options.instances() == ResampleOptions.UNLIMITED
        ? alive
        : Math.min(alive, (double) options.instances());
  }

  /** Gaps within captures that were left out: see {@link Pacer#LONGEST_GAP_NS}. */
  public long skippedGaps() {
    return templates.skippedGaps();
  }

  /** Lets instances live that would if this had gone on for long. */
  private void startInTheMiddle() {
    for (int template = 0; template < templates.count(); template++) {
      long beginNs = options.startNs() - templates.durationNs(template);
      double gapNs = meanGapNs * templates.count();
      for (long startNs = beginNs + drawGapNs(gapNs);
          startNs < options.startNs() && !queue.isFull();
          startNs += drawGapNs(gapNs)) {
        int packet = templates.firstPacket(template);
        while (startNs + templates.word(packet, Templates.TIME) < options.startNs()) {
          packet++;
        }
        start(template, startNs, packet);
      }
    }
  }

  private long drawGapNs(double meanNs) {
    return Math.max(1, Math.round(-StrictMath.log(1 - random.nextDouble()) * meanNs));
  }

  private void start(int template, long startNs, int packet) {
    queue.add(
        started++,
        startNs,
        packet,
        templates.firstPacket(template + 1),
        startNs + templates.word(packet, Templates.TIME));
  }

  @Override
  public int fill(RawPacketBatch batch) {
    batch.begin(slots);
    long most = Math.min(Math.min(batch.room(), SLOTS), packetLimit - packets);
    while (batch.count() < most && startDue()) {
      append(batch);
      if (queue.advanceHead()) {
        queue.headGoesOn(queue.headStartNs() + templates.word(queue.headPacket(), Templates.TIME));
      } else {
        queue.removeHead();
      }
    }
    packets += batch.count();
    return batch.count() == 0 ? END : batch.count();
  }

  /** Starts what starts before the next packet is due; false when nothing more will come. */
  private boolean startDue() {
    while (mayStart() && nextStartNs <= queue.headDueNs()) {
      int template = random.nextInt(templates.count());
      start(template, nextStartNs, templates.firstPacket(template));
      nextStartNs += drawGapNs(meanGapNs);
    }
    return queue.size() > 0;
  }

  private boolean mayStart() {
    return !queue.isFull()
        && (options.instances() == ResampleOptions.UNLIMITED || started < options.instances());
  }

  private void append(RawPacketBatch batch) {
    int packet = queue.headPacket();
    long instance = queue.headInstance();
    long frame = templates.word(packet, Templates.FRAME);
    long wire = templates.word(packet, Templates.WIRE);
    long places = templates.word(packet, Templates.PLACES);
    int captured = Templates.capturedBytes(frame);
    long offset = (long) batch.count() * Templates.SHOWN_BYTES;
    MemorySegment.copy(templates.frames(), Templates.frameOffset(frame), slots, offset, captured);
    if (places == PacketPlaces.NONE) {
      keptPackets++;
    } else {
      long numbers = templates.word(packet, Templates.ADDRESSES);
      rewriter.rewrite(slots, offset, places, numbers, instance);
    }
    batch.append(
        offset,
        queue.headDueNs(),
        captured,
        Templates.wireBytes(wire),
        Templates.linkType(wire),
        Templates.flags(frame));
    wireBytes += Integer.toUnsignedLong(Templates.wireBytes(wire));
    capturedBytes += captured;
  }

  @Override
  public int clock() {
    return RingClock.SYNTHETIC;
  }

  @Override
  public SourceCounters counters() {
    return new SourceCounters(
        packets,
        wireBytes,
        capturedBytes,
        0,
        0,
        templates.malformed(),
        templates.notes(),
        notices());
  }

  private Map<SourceNotice, Long> notices() {
    Map<SourceNotice, Long> notices = new EnumMap<>(SourceNotice.class);
    notices.put(SourceNotice.INSTANCES, started);
    notices.put(SourceNotice.KEPT_ADDRESSES, keptPackets);
    notices.values().removeIf(count -> count == 0);
    return notices;
  }

  @Override
  public double progress() {
    if (options.packets() != ResampleOptions.UNLIMITED) {
      return (double) packets / options.packets();
    }
    return options.instances() == ResampleOptions.UNLIMITED
        ? Double.NaN
        : Math.min(1, packets / (options.instances() * templates.meanPackets()));
  }

  @Override
  public void close() {
    arena.close();
  }
}
