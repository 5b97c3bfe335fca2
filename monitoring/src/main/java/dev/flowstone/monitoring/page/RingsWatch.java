// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import dev.flowstone.model.abi.LaneMode;
import dev.flowstone.monitoring.page.RingsView.Reader;
import dev.flowstone.monitoring.page.RingsView.Ring;
import dev.flowstone.offheap.Reason;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.offheap.ring.RingLanes;
import dev.flowstone.offheap.ring.RingOccupants;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Looks at the headers of ring files from outside, as {@code ./flowstone stats} does. One thread.
 */
final class RingsWatch {
  private static final double SECOND_NS = 1e9;

  private final List<Path> folders;
  private final Incidents incidents;
  private final LongSupplier nanoTime;
  private Map<String, Seen> before = Map.of();

  /** By the keys of their incidents, those that drop, or may for all that is known. */
  private final Set<String> dropping = new HashSet<>();

  /** What a ring's header said. */
  private record Seen(long incarnation, long atNs, RingCounters counters) {}

  /**
   * @param nanoTime a clock that only grows
   */
  RingsWatch(List<Path> folders, Incidents incidents, LongSupplier nanoTime) {
    this.folders = folders;
    this.incidents = incidents;
    this.nanoTime = nanoTime;
  }

  RingsView look() {
    Map<String, Seen> now = new HashMap<>();
    dropping.clear();
    List<Ring> rings = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (Path folder : folders) {
      List<Path> files = new RingDirectory(folder).ringFiles();
      if (files.isEmpty()) {
        problems.add(folder + ": no ring files there; start a tap (./flowstone tap --help)");
      }
      for (Path file : files) {
        try (RingFile ring = RingFile.open(file)) {
          rings.add(ring(ring, now));
        } catch (RingFileException e) {
          problems.add(Reason.of(e));
        }
      }
    }
    before = now;
    // Also those whose files are gone.
    incidents.areQuietBut(dropping, System.currentTimeMillis());
    return new RingsView(rings, problems);
  }

  private Ring ring(RingFile file, Map<String, Seen> now) {
    String path = file.path().toString();
    Seen seen = new Seen(file.identity().incarnation(), nanoTime.getAsLong(), file.counters());
    now.put(path, seen);
    Seen then = before.get(path);
    boolean isSame =
        then != null
            && then.incarnation == seen.incarnation
            && seen.atNs - then.atNs < StageMoments.LONGEST_PAUSE_NS;
    RingCounters counters = seen.counters;
    RingCounters former = isSame ? then.counters : null;
    double seconds = isSame ? (seen.atNs - then.atNs) / SECOND_NS : 1;
    noticeDrops(file, counters, former);
    RingOccupants occupants = RingOccupants.of(file);
    long slots = file.identity().slotCount();
    List<Reader> readers =
        occupants.readers().stream().map(each -> reader(each, occupants, slots)).toList();
    return new Ring(
        path,
        file.identity().ring(),
        file.identity().tapName(),
        Count.since(
            former == null ? null : former.offeredPackets(), counters.offeredPackets(), seconds),
        Count.since(
            former == null ? null : former.writtenPackets(), counters.writtenPackets(), seconds),
        Count.since(
            former == null ? null : former.droppedPackets(), counters.droppedPackets(), seconds),
        Count.since(
            former == null ? null : former.lostBeforeTap(), counters.lostBeforeTap(), seconds),
        slots,
        readers.stream().filter(Reader::holdsSpace).mapToLong(Reader::lagSlots).max().orElse(0),
        file.isEnded(),
        readers);
  }

  /** A drop that goes on is one incident. */
  private void noticeDrops(RingFile file, RingCounters now, RingCounters former) {
    String key = "drops " + file.path();
    long before = former == null ? now.droppedPackets() : former.droppedPackets();
    if (now.droppedPackets() > before) {
      incidents.goesOn(
          key,
          Incidents.Kind.RING,
          System.currentTimeMillis(),
          String.format(
              Locale.ROOT,
              "ring %d of %s is full and drops packets: %,d so far; its readers hold it",
              file.identity().ring(),
              file.identity().tapName(),
              now.droppedPackets()));
      dropping.add(key);
    } else if (former == null) {
      dropping.add(key);
    }
  }

  private static Reader reader(RingLanes.Occupant reader, RingOccupants occupants, long slots) {
    long silentMs = TimeUnit.NANOSECONDS.toMillis(reader.silenceNs());
    String state =
        reader.pid() == 0 ? "closed, to be opened again" : reader.isAlive() ? "alive" : "silent";
    return new Reader(
        reader.reader().toString(),
        LaneMode.nameOf(reader.mode()),
        state,
        silentMs,
        reader.holdsSpace(),
        reader.holdsSpace() ? Math.min(slots, occupants.slotsFrom(reader.releasedPosition())) : 0);
  }
}
