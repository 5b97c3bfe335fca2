// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import static dev.flowstone.model.abi.RingFileHeaderLayout.LINEAGE_ENTRIES;
import static dev.flowstone.model.abi.RingFileHeaderLayout.RESERVED_SLOTS;

import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.offheap.ring.PacketBooks;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.offheap.ring.RingReader;
import dev.flowstone.offheap.ring.RingStart;
import dev.flowstone.offheap.ring.RingTime;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** One incarnation of a ring in memory: a producer's side and one reader's, for one thread. */
public final class MemoryRing {
  public static final int KEY_GROUPS = 128;

  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** What stands in a slot besides packets. */
  private sealed interface Control {
    record Time(long timeNs, long offeredPackets, boolean isTrusted) implements Control {}

    record Loss(long packets) implements Control {}
  }

  private final RingIdentity identity;
  private final int slotCount;
  private final List<MemoryRing> formers;
  private final MemorySegment slots;
  private final Control[] controls;

  private long position;
  private long heldFrom = Long.MAX_VALUE;
  private long offered;
  private long pendingLost;
  private boolean ended;
  private int epoch;
  private boolean askedWhetherReplaced;
  private boolean readerClosed;
  private final AtomicInteger signsOfLife = new AtomicInteger();

  MemoryRing(RingIdentity identity, List<MemoryRing> formers) {
    this.identity = identity;
    this.slotCount = (int) identity.slotCount();
    this.formers = formers;
    this.slots = Arena.ofAuto().allocate(slotCount * PacketRecordLayout.SIZE_BYTES, 64);
    this.controls = new Control[slotCount];
  }

  long incarnation() {
    return identity.incarnation();
  }

  public long offered() {
    return offered;
  }

  public boolean isHeld() {
    return heldFrom != Long.MAX_VALUE;
  }

  public int signsOfLife() {
    return signsOfLife.get();
  }

  /** Oldest position that the reader holds. */
  public long heldFrom() {
    return heldFrom;
  }

  /** Packets with these numbers and this time, or their loss where there is no room. */
  public void write(int firstNumber, int count, long timeNs) {
    for (int number = firstNumber; number < firstNumber + count; number++) {
      offered++;
      if (!hasRoom(RESERVED_SLOTS + (pendingLost > 0 ? 2 : 1))) {
        pendingLost++;
        continue;
      }
      putPendingLoss();
      long offset = index(position) * PacketRecordLayout.SIZE_BYTES;
      slots.set(INT, offset + PacketRecordLayout.TIME_LOW_OFFSET, (int) timeNs);
      slots.set(INT, offset + PacketRecordLayout.SEQUENCE_OFFSET, number);
      put(null);
    }
  }

  public void tellTime(long timeNs) {
    tellTime(timeNs, true);
  }

  public void tellUntrustedTime(long timeNs) {
    tellTime(timeNs, false);
  }

  private void tellTime(long timeNs, boolean isTrusted) {
    if (hasRoom(2)) {
      putPendingLoss();
      put(new Control.Time(timeNs, offered, isTrusted));
    }
  }

  /** The news of what was lost, and nothing behind it. */
  public void tellLoss() {
    if (hasRoom(2)) {
      putPendingLoss();
    }
  }

  /** Whether its reader asked for a successor and found none. */
  public boolean isReaderRetired() {
    return askedWhetherReplaced;
  }

  public boolean isReaderClosed() {
    return readerClosed;
  }

  public void end(long timeNs) {
    tellTime(timeNs);
    end();
  }

  /** Without a last word on the time. */
  public void end() {
    ended = true;
  }

  private boolean hasRoom(long needed) {
    return heldFrom == Long.MAX_VALUE || position + needed <= heldFrom + slotCount;
  }

  private void putPendingLoss() {
    if (pendingLost > 0) {
      put(new Control.Loss(pendingLost));
      pendingLost = 0;
    }
  }

  private void put(Control control) {
    controls[index(position)] = control;
    position++;
  }

  private int index(long at) {
    return (int) (at & slotCount - 1);
  }

  OpenRing open(RingStart start, BooleanSupplier replaced) {
    return new Reader(start, replaced);
  }

  /** Empty: so long ago that this ring does not remember. */
  private OptionalLong missedSince(RingProgress progress) {
    long missed = 0;
    for (MemoryRing former : formers.reversed().stream().limit(LINEAGE_ENTRIES).toList()) {
      missed += former.offered;
      if (former.incarnation() == progress.incarnation()) {
        return OptionalLong.of(missed - progress.books().accountedPackets());
      }
    }
    return OptionalLong.empty();
  }

  private final class Reader implements OpenRing {
    private final BooleanSupplier replaced;
    private final int claimedEpoch = ++epoch;
    private long next;
    private long accounted;
    private boolean isKnown = true;
    private long beforeStart;
    private RingTime time = new RingTime(RingTime.NEVER, false, true);
    private PacketLoss lost = PacketLoss.NONE;
    private PacketLoss unreported = PacketLoss.NONE;
    private long runPosition;
    private int runCount;
    private boolean missedUnknown;
    private boolean closed;

    Reader(RingStart start, BooleanSupplier replaced) {
      this.replaced = replaced;
      long oldest = Math.max(0, position - slotCount);
      switch (start) {
        case RingStart.Oldest all -> next = oldest;
        case RingStart.Join join -> {
          next = oldest;
          isKnown = oldest == 0;
          accounted = isKnown ? 0 : offered;
        }
        case RingStart.Latest latest -> throw new UnsupportedOperationException("latest");
        case RingStart.Resume resume -> resume(resume.progress(), oldest);
      }
      heldFrom = next;
    }

    private void resume(RingProgress progress, long oldest) {
      lost = progress.books().lost();
      unreported = progress.books().unreported();
      time = new RingTime(progress.time().baseNs(), false, true);
      if (progress.incarnation() != identity.incarnation()) {
        OptionalLong missed = missedSince(progress);
        missedUnknown = missed.isEmpty();
        lose(missed.orElse(0));
        next = oldest;
        return;
      }
      accounted = progress.books().accountedPackets();
      if (progress.position() >= oldest) {
        time = progress.time();
      }
      next = Math.max(progress.position(), oldest);
    }

    private void lose(long packets) {
      lost = lost.plus(PacketLoss.inRing(packets));
      unreported = unreported.plus(PacketLoss.inRing(packets));
    }

    @Override
    public RingReader.Poll poll(int mostPackets) {
      while (next < position) {
        if (readControl()) {
          return RingReader.Poll.CLOCK;
        }
        if (readRun(mostPackets)) {
          return RingReader.Poll.PACKETS;
        }
      }
      return ended ? RingReader.Poll.END : RingReader.Poll.NOTHING;
    }

    private boolean readControl() {
      switch (controls[index(next)]) {
        case Control.Time time -> {
          if (!isKnown) {
            accounted = Math.min(accounted, time.offeredPackets);
            beforeStart = accounted;
            isKnown = true;
          }
          lose(time.offeredPackets - accounted);
          accounted = time.offeredPackets;
          this.time = new RingTime(time.timeNs, true, time.isTrusted);
          next++;
          return true;
        }
        case Control.Loss loss -> {
          if (isKnown) {
            accounted += loss.packets;
            lose(loss.packets);
          }
          next++;
          return false;
        }
        case null -> {
          return false;
        }
      }
    }

    private boolean readRun(int mostPackets) {
      runPosition = next;
      long lapEnd = (next | slotCount - 1) + 1;
      long end = Math.min(Math.min(position, lapEnd), next + mostPackets);
      while (next < end && controls[index(next)] == null) {
        next++;
      }
      runCount = (int) (next - runPosition);
      if (time.isKnown()) {
        accounted += runCount;
      }
      return time.isKnown() && runCount > 0;
    }

    @Override
    public RingIdentity identity() {
      return identity;
    }

    @Override
    public RingRun run() {
      if (closed) {
        throw new IllegalStateException("closed");
      }
      long offsetBytes = index(runPosition) * PacketRecordLayout.SIZE_BYTES;
      return new RingRun(runPosition, runCount, slots, offsetBytes, time.baseNs(), true, _ -> true);
    }

    @Override
    public PacketLoss takeUnreportedLoss() {
      PacketLoss taken = unreported;
      unreported = PacketLoss.NONE;
      return taken;
    }

    @Override
    public long packetsBeforeStart() {
      return beforeStart;
    }

    @Override
    public long unexplainedPackets() {
      return 0;
    }

    @Override
    public boolean isHeld() {
      return claimedEpoch == epoch;
    }

    @Override
    public boolean isMissedUnknown() {
      return missedUnknown;
    }

    @Override
    public long position() {
      return next;
    }

    @Override
    public RingTime time() {
      return time;
    }

    @Override
    public RingProgress progress() {
      return new RingProgress(
          identity.incarnation(),
          next,
          time,
          new PacketBooks(isKnown, accounted, 0, lost, unreported));
    }

    @Override
    public void release(long released) {
      if (claimedEpoch != epoch) {
        throw new RingFileException("this lane now belongs to another reader");
      }
      heldFrom = released;
    }

    @Override
    public long backlogSlots() {
      return position - next;
    }

    @Override
    public long untoldPackets() {
      return pendingLost;
    }

    @Override
    public boolean isReplaced() {
      askedWhetherReplaced = replaced.getAsBoolean();
      return askedWhetherReplaced;
    }

    @Override
    public void showLife() {
      signsOfLife.incrementAndGet();
    }

    @Override
    public void leave() {
      release(Long.MAX_VALUE);
    }

    @Override
    public void close() {
      closed = true;
      readerClosed = true;
    }
  }
}
