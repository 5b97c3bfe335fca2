// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import dev.flowstone.model.abi.RingClock;
import dev.flowstone.raw.LossTally;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.raw.SourceCounters;
import dev.flowstone.raw.SourceNotice;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Frames of a network interface, as the kernel or the card stamps them. Nothing is copied:
 * descriptors point into the kernel's block, which goes back to the kernel with the call of {@link
 * #fill} that follows its last packet. Capture begins with the first such call. A VLAN tag that the
 * card took out is put back, and counts in the length.
 *
 * <p>On a loopback interface every frame passes twice, leaving and arriving; the leaving one is
 * left out by the kernel. A kernel before Linux 4.20 shows it: then it is skipped and counted so,
 * takes room, and one that finds none counts as a loss before the tap like the arriving one.
 */
public final class LiveSource implements PacketSource {
  private enum Listening {
    NOT_YET,
    YES,
    NO_MORE
  }

  private static final long SECOND_NS = 1_000_000_000;
  private static final long MILLISECOND_NS = 1_000_000;

  private final CapturedInterface origin;
  private final CaptureGroup group;
  private final KernelBlock blocks;
  private final FrameClock clock;
  private final String interfaceName;
  private final long ringBytes;
  private final boolean isPromiscuous;
  private final boolean countsDrops;
  private final int waitMs;
  private final LossTally losses = new LossTally();
  private final InterfaceDrops drops;
  private long block;
  private long frame;
  private int framesLeft;
  private Listening listening = Listening.NOT_YET;
  private boolean holdsBlock;
  private long packets;
  private long wireBytes;
  private long capturedBytes;
  private long skipped;
  private long merged;
  private long forOtherHosts;

  /** A source that says nothing of its interface. */
  public LiveSource(LiveOptions options) {
    this(options, line -> {});
  }

  /**
   * Opens the interface, or waits for it where the options say so.
   *
   * @param say hears, in lines, what an operator should know of the interface
   */
  public LiveSource(LiveOptions options, Consumer<String> say) {
    this(options, new CapturedInterface(options, say));
  }

  private LiveSource(LiveOptions options, CapturedInterface origin) {
    this(options, origin, new CaptureGroup(List.of(origin)), true);
  }

  /**
   * @param countsDrops false: another source of the group counts what the interface dropped
   */
  private LiveSource(
      LiveOptions options, CapturedInterface origin, CaptureGroup group, boolean countsDrops) {
    this.origin = origin;
    this.group = group;
    interfaceName = options.interfaceName();
    isPromiscuous = options.promiscuous();
    drops = InterfaceDrops.of(interfaceName);
    this.countsDrops = countsDrops;
    waitMs = (int) options.retire().toMillis();
    blocks = new KernelBlock(origin.socket().ring());
    clock = new FrameClock(blocks, options.timestamps() == LiveOptions.Timestamps.HARDWARE);
    ringBytes = origin.socket().ring().byteSize();
  }

  /**
   * Opens an interface for several threads: one source for each, which share the packets so that
   * those of a flow come from the same.
   */
  public static List<LiveSource> openShared(
      LiveOptions options, int sources, Consumer<String> say) {
    if (sources > 1 && options.waitForInterface()) {
      throw new IllegalArgumentException(
          "--threads and --wait-for-interface exclude each other: the kernel's groups of sockets do"
              + " not move to an interface that comes back; let what starts the tap start it again");
    }
    List<CapturedInterface> members = new ArrayList<>();
    try {
      for (int i = 0; i < sources; i++) {
        // One of them is enough to tell an operator.
        members.add(new CapturedInterface(options, i == 0 ? say : line -> {}));
      }
    } catch (RuntimeException e) {
      members.forEach(CapturedInterface::close);
      throw e;
    }
    CaptureGroup group = new CaptureGroup(members);
    return members.stream()
        .map(member -> new LiveSource(options, member, group, member == members.getFirst()))
        .toList();
  }

  @Override
  public int fill(RawPacketBatch batch) {
    batch.begin(origin.socket().ring());
    if (listening == Listening.NOT_YET) {
      group.listen();
      drops.begin(System.nanoTime());
      listening = Listening.YES;
    }
    if (framesLeft == 0) {
      giveBack();
      boolean ready = awaitBlock();
      losses.add(origin.socket().takeDrops());
      if (countsDrops) {
        losses.add(drops.take(System.nanoTime()));
      }
      if (!ready) {
        return nothing();
      }
      holdsBlock = true;
      framesLeft = blocks.packets(block);
      frame = blocks.firstFrame(block);
    }
    while (framesLeft > 0 && batch.hasRoom()) {
      add(batch);
      framesLeft--;
      if (framesLeft > 0) {
        frame = blocks.nextFrame(frame);
      }
    }
    packets += batch.count();
    return batch.count();
  }

  private int nothing() {
    if (listening == Listening.NO_MORE) {
      return END;
    }
    if (origin.presence().isLost()) {
      throw new LiveCaptureException(
          "interface "
              + interfaceName
              + " went away: removed, or moved to another network namespace; tap live"
              + " --wait-for-interface waits until it is back");
    }
    return 0;
  }

  /**
   * The kernel hands the last block over when its time is up, also when nothing comes any more. An
   * interface that went away may have left such a block.
   */
  private boolean awaitBlock() {
    if (blocks.isReady(block)) {
      return true;
    }
    boolean more = listening == Listening.YES && origin.presence().isUp();
    origin.await(more ? waitMs : 2 * waitMs);
    if (more && origin.presence().isLost()) {
      origin.await(2 * waitMs);
    }
    return blocks.isReady(block);
  }

  private void giveBack() {
    if (holdsBlock) {
      blocks.giveBack(block);
      holdsBlock = false;
      block = (block + LiveOptions.BLOCK_BYTES) % ringBytes;
    }
  }

  private void add(RawPacketBatch batch) {
    if (origin.isLoopback() && blocks.isOutgoing(frame)) {
      skipped++;
      return;
    }
    LinkType linkType = origin.linkType();
    long data = blocks.data(frame);
    int captured = blocks.capturedBytes(frame);
    int wire = blocks.wireBytes(frame);
    if (linkType == LinkType.ETHERNET && blocks.hasVlan(frame)) {
      blocks.restoreVlan(frame);
      data -= KernelBlock.VLAN_BYTES;
      captured += KernelBlock.VLAN_BYTES;
      wire += KernelBlock.VLAN_BYTES;
    }
    if (origin.isMerged(wire)) {
      merged++;
    }
    if (blocks.isForOtherHost(frame)) {
      forOtherHosts++;
    }
    clock.look(frame);
    batch.append(data, clock.timeNs(), captured, wire, linkType.number(), clock.flags());
    wireBytes += Integer.toUnsignedLong(wire);
    capturedBytes += captured;
  }

  @Override
  public boolean stopCatching() {
    if (listening == Listening.YES) {
      origin.stopListening();
      if (countsDrops) {
        losses.add(drops.takeNow(System.nanoTime()));
      }
    }
    listening = Listening.NO_MORE;
    return true;
  }

  @Override
  public int clock() {
    return clock.isHardware() ? RingClock.HARDWARE : RingClock.WALL;
  }

  /**
   * Frames may still wait in a block that the kernel has not handed over. An interface that is not
   * up is not quiet, and the card's clock is not the host's.
   */
  @Override
  public long idleClockNs() {
    if (clock.isHardware() || !origin.presence().isUp()) {
      return NO_TIME;
    }
    Instant now = Instant.now();
    return now.getEpochSecond() * SECOND_NS + now.getNano() - 2L * waitMs * MILLISECOND_NS;
  }

  @Override
  public long takeLostBeforeTap() {
    return losses.take();
  }

  @Override
  public long takeOtherClockPackets() {
    return clock.takeOtherClockFrames();
  }

  @Override
  public SourceCounters counters() {
    losses.add(origin.socket().takeDrops());
    return new SourceCounters(
        packets, wireBytes, capturedBytes, losses.total(), skipped, Map.of(), List.of(), notices());
  }

  private Map<SourceNotice, Long> notices() {
    Map<SourceNotice, Long> notices = new EnumMap<>(SourceNotice.class);
    notices.put(SourceNotice.ABOVE_MTU, merged);
    notices.put(SourceNotice.OTHER_CLOCK, clock.otherClockFrames());
    notices.put(SourceNotice.INTERFACE_AWAY, origin.presence().timesAway());
    notices.put(SourceNotice.INTERFACE_DROPS, drops.total());
    if (!isPromiscuous && !origin.isLoopback() && forOtherHosts == 0) {
      notices.put(SourceNotice.OWN_TRAFFIC_ONLY, packets);
    }
    notices.values().removeIf(count -> count == 0);
    return notices;
  }

  @Override
  public double progress() {
    return Double.NaN;
  }

  @Override
  public void close() {
    origin.close();
  }
}
