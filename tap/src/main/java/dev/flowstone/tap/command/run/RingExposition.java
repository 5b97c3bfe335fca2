// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.run;

import dev.flowstone.model.abi.LaneMode;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingLanes;
import dev.flowstone.offheap.ring.RingOccupants;
import dev.flowstone.tap.metrics.Exposition;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The counters of rings, and who reads them, among the metrics of whatever fills them. */
public final class RingExposition {
  private static final double SECOND_NS = 1e9;

  private final Exposition text;
  private final List<RingCounters> counters;
  private final List<RingFile> files;
  private final List<RingOccupants> occupants;
  private final List<List<String>> labels;

  private RingExposition(
      Exposition text,
      List<RingCounters> counters,
      List<RingFile> files,
      List<List<String>> labels) {
    this.text = text;
    this.counters = counters;
    this.files = files;
    this.labels = labels;
    occupants = files.stream().map(RingOccupants::of).toList();
  }

  /** Adds them to a text. */
  public static void add(Exposition text, List<RingCounters> counters, List<RingFile> files) {
    add(
        text,
        counters,
        files,
        IntStream.range(0, counters.size()).mapToObj(ring -> List.of("ring", "" + ring)).toList());
  }

  /**
   * The same where a ring's number does not name it.
   *
   * @param labels of each ring
   */
  public static void add(
      Exposition text,
      List<RingCounters> counters,
      List<RingFile> files,
      List<List<String>> labels) {
    RingExposition exposition = new RingExposition(text, counters, files, labels);
    exposition.rings();
    exposition.lanes();
  }

  private void rings() {
    ring("offered_packets", "Packets that met the ring.", RingCounters::offeredPackets);
    ring("offered_bytes", "Their bytes on the wire.", RingCounters::offeredBytes);
    ring("written_packets", "Packets that are in the ring.", RingCounters::writtenPackets);
    text.counter("flowstone_ring_dropped_packets_total", "Packets that are not, by cause.");
    eachRing(
        (ring, counters) -> text.sample(counters.droppedPackets(), with(ring, "cause", "no_room")));
    ring(
        "saturated_lengths",
        "Packets longer than their record can tell.",
        RingCounters::saturatedLengths);
    ring(
        "other_clock_packets",
        "Packets not timed by the ring's clock.",
        RingCounters::otherClockPackets);
    ring(
        "expired_lanes",
        "Readers that lost their space because they gave no sign of life.",
        RingCounters::expiredLanes);
    text.gauge(
        "flowstone_ring_latest_time_seconds",
        "The latest time that the ring was told, since 1970 by its clock.");
    eachRing(
        (ring, counters) -> {
          if (counters.latestTimeNs() != 0) {
            text.sample(counters.latestTimeNs() / SECOND_NS, with(ring));
          }
        });
    text.gauge(
        "flowstone_ring_slots", "Room of the ring; a packet or a clock mark takes one slot.");
    for (int ring = 0; ring < files.size(); ring++) {
      text.sample(files.get(ring).identity().slotCount(), with(ring));
    }
    text.gauge(
        "flowstone_ring_held_slots", "Slots that readers hold, which nothing may be written into.");
    for (int ring = 0; ring < files.size(); ring++) {
      text.sample(held(ring), with(ring));
    }
  }

  private void ring(String what, String help, ToLongFunction<RingCounters> counter) {
    text.counter("flowstone_ring_" + what + "_total", help);
    eachRing((ring, counters) -> text.sample(counter.applyAsLong(counters), with(ring)));
  }

  private void eachRing(BiConsumer<Integer, RingCounters> each) {
    for (int ring = 0; ring < counters.size(); ring++) {
      each.accept(ring, counters.get(ring));
    }
  }

  /** A ring's labels, and more. */
  private String[] with(int ring, String... more) {
    return Stream.concat(labels.get(ring).stream(), Stream.of(more)).toArray(String[]::new);
  }

  private double held(int ring) {
    return occupants.get(ring).readers().stream()
        .filter(RingLanes.Occupant::holdsSpace)
        .mapToDouble(reader -> lag(ring, reader))
        .max()
        .orElse(0);
  }

  private void lanes() {
    text.gauge("flowstone_lane_lag_slots", "How far a reader that holds space is behind the tap.");
    eachReader(
        (ring, reader) -> {
          if (reader.holdsSpace()) {
            text.sample(lag(ring, reader), labels(ring, reader));
          }
        });
    text.gauge(
        "flowstone_lane_silence_seconds",
        "Time since the reader's last sign of life; usually below 2.");
    eachReader((ring, reader) -> text.sample(reader.silenceNs() / SECOND_NS, labels(ring, reader)));
    text.gauge(
        "flowstone_lane_expiry_seconds",
        "Silence after which the reader counts as gone, or sooner with --lane-expiry.");
    eachReader((ring, reader) -> text.sample(reader.expiryNs() / SECOND_NS, labels(ring, reader)));
  }

  private interface EachReader {
    void accept(int ring, RingLanes.Occupant reader);
  }

  private void eachReader(EachReader each) {
    for (int ring = 0; ring < occupants.size(); ring++) {
      for (RingLanes.Occupant reader : occupants.get(ring).readers()) {
        each.accept(ring, reader);
      }
    }
  }

  private String[] labels(int ring, RingLanes.Occupant reader) {
    return with(
        ring,
        "lane",
        "" + reader.lane(),
        "reader",
        reader.name(),
        "mode",
        LaneMode.nameOf(reader.mode()));
  }

  /** NaN of a lane that claims more than the ring has: its word is damaged. */
  private double lag(int ring, RingLanes.Occupant reader) {
    long slots = occupants.get(ring).slotsFrom(reader.releasedPosition());
    return slots <= files.get(ring).identity().slotCount() ? slots : Double.NaN;
  }
}
