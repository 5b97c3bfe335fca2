// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import dev.flowstone.model.abi.RingClock;
import dev.flowstone.tap.PacketSource;
import dev.flowstone.tap.RawPacketBatch;
import dev.flowstone.tap.SourceCounters;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Packets made up from a seed, with the right answers about them.
 *
 * <p>Frames are real bytes of Ethernet, IP and TCP, UDP or ICMP, captured up to {@value
 * FrameTemplates#FRAME_BYTES} bytes, in memory that the next {@link #fill} overwrites. Times
 * strictly increase; where usual traffic, flood and microburst claim the same nanosecond, the later
 * ones move on by one. One thread at a time; whoever opens it closes it.
 */
public final class SyntheticSource implements PacketSource {
  private static final int LINK_TYPE_ETHERNET = 1;
  private static final int NO_FLAGS = 0;

  private final Arena arena = Arena.ofShared();
  private final SyntheticOptions options;
  private final TrafficPlan plan;
  private final Endpoints endpoints;
  private final FrameTemplates templates;
  private final Conversations conversations;
  private final FrameWriter writer;
  private final Pace pace;
  private final FloodStream flood;
  private final BurstSchedule bursts;
  private final XorShift choice;
  private final TruthCounters truth;

  private MemorySegment frames = MemorySegment.NULL;
  private int frameCapacity;
  private long lastTimeNs = Long.MIN_VALUE;
  private long packets;
  private long wireBytes;
  private long capturedBytes;

  public SyntheticSource(SyntheticOptions options) {
    this.options = options;
    XorShift seeds = new XorShift(options.seed());
    choice = new XorShift(seeds.nextLong());
    plan = new TrafficPlan(options.flows(), new XorShift(seeds.nextLong()));
    endpoints = new Endpoints(plan, new XorShift(seeds.nextLong()));
    templates = new FrameTemplates(arena, plan, endpoints, new XorShift(seeds.nextLong()));
    conversations = new Conversations(plan, templates, options, new XorShift(seeds.nextLong()));
    writer = new FrameWriter(plan, templates, options.frameBytes());
    pace = new Pace(options.startNs(), options.packetsPerSecond(), new XorShift(seeds.nextLong()));
    XorShift floodRandom = new XorShift(seeds.nextLong());
    flood =
        options
            .flood()
            .map(wanted -> new FloodStream(wanted, options.startNs(), arena, floodRandom))
            .orElse(null);
    bursts =
        options
            .microburst()
            .map(wanted -> new BurstSchedule(wanted, options.startNs()))
            .orElse(null);
    truth = options.truth() ? new TruthCounters(options, plan, endpoints) : null;
  }

  @Override
  public int fill(RawPacketBatch batch) {
    long left = options.packetLimit() - packets;
    if (left == 0) {
      return END;
    }
    int count = (int) Math.min(left, batch.capacity());
    provideFrames(batch.capacity());
    batch.begin(frames);
    for (int i = 0; i < count; i++) {
      addNext(batch, (long) i << FrameTemplates.FRAME_SHIFT);
    }
    packets += count;
    return count;
  }

  /** Grows once to the largest batch seen; all of it is freed on close. */
  private void provideFrames(int capacity) {
    if (capacity > frameCapacity) {
      frames =
          arena.allocate((long) capacity << FrameTemplates.FRAME_SHIFT, FrameTemplates.FRAME_BYTES);
      frameCapacity = capacity;
    }
  }

  private void addNext(RawPacketBatch batch, long frame) {
    long usualNs = pace.nextTimeNs();
    long floodNs = flood == null ? FloodStream.NEVER : flood.nextTimeNs();
    long burstNs = bursts == null ? FloodStream.NEVER : bursts.nextTimeNs();
    if (floodNs < usualNs && floodNs < burstNs) {
      addFlood(batch, frame, afterLast(floodNs));
    } else if (burstNs < usualNs) {
      bursts.advance();
      addFromSlot(batch, frame, plan.burstSlot(), afterLast(burstNs));
    } else {
      pace.advance();
      addFromSlot(batch, frame, plan.draw(choice.nextLong()), afterLast(usualNs));
    }
  }

  private long afterLast(long wantedNs) {
    lastTimeNs = Math.max(wantedNs, lastTimeNs + 1);
    return lastTimeNs;
  }

  private void addFlood(RawPacketBatch batch, long frame, long timeNs) {
    flood.write(frames, frame);
    add(batch, frame, timeNs, FloodStream.WIRE_BYTES);
    if (truth != null) {
      truth.recordFlood(timeNs, FloodStream.WIRE_BYTES);
    }
  }

  private void addFromSlot(RawPacketBatch batch, long frame, int slot, long timeNs) {
    Conversation conversation = plan.conversation(slot);
    conversations.next(slot, conversation);
    int wireBytes = writer.write(frames, frame, slot, conversation, conversations);
    add(batch, frame, timeNs, wireBytes);
    if (truth != null) {
      truth.record(slot, conversations.direction(), conversations.flags(), timeNs, wireBytes);
    }
    if (conversations.ended()) {
      renew(slot);
    }
  }

  private void renew(int slot) {
    if (truth != null) {
      truth.endConnection(slot);
    }
    endpoints.nextConnection(slot);
    templates.updateClient(slot);
  }

  private void add(RawPacketBatch batch, long frame, long timeNs, int wireBytes) {
    int capturedBytes = Math.min(wireBytes, FrameTemplates.FRAME_BYTES);
    this.wireBytes += wireBytes;
    this.capturedBytes += capturedBytes;
    batch.append(frame, timeNs, capturedBytes, wireBytes, LINK_TYPE_ETHERNET, NO_FLAGS);
  }

  /** The right answers about all packets up to the last {@link #fill}. */
  public SyntheticTruth truth() {
    if (truth == null) {
      throw new IllegalStateException(
          "synthetic traffic: nothing was counted; leave the option truth on");
    }
    return truth.snapshot();
  }

  /** Writes {@link #truth} as JSON, in the form of the capture oracles. */
  public void writeTruth(Path file) throws IOException {
    Files.writeString(file, truth().toJson());
  }

  @Override
  public int clock() {
    return RingClock.SYNTHETIC;
  }

  @Override
  public long clockNs() {
    return lastTimeNs;
  }

  /** Share of the packet limit that is sent. */
  @Override
  public double progress() {
    return options.packetLimit() == SyntheticOptions.NO_LIMIT
        ? Double.NaN
        : (double) packets / options.packetLimit();
  }

  @Override
  public SourceCounters counters() {
    return new SourceCounters(packets, wireBytes, capturedBytes, 0, 0, Map.of(), List.of());
  }

  @Override
  public void close() {
    arena.close();
  }
}
