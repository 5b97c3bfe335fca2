// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import dev.flowstone.model.abi.LaneMode;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingLanes;
import dev.flowstone.offheap.ring.RingOccupants;
import dev.flowstone.raw.MalformedReason;
import dev.flowstone.raw.SourceCounters;
import dev.flowstone.raw.SourceNotice;
import dev.flowstone.tap.metrics.Exposition;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;

/**
 * The counters of a tap as Prometheus' metrics. A counter has all its labels from the beginning,
 * also those that stand at 0, so that its rate is right from the first packet on.
 */
final class TapMetrics {
  private static final double SECOND_NS = 1e9;

  private final Exposition text = new Exposition();

  private final TapReport report;
  private final List<RingFile> files;
  private final List<RingOccupants> occupants;

  private TapMetrics(TapReport report, List<RingFile> files) {
    this.report = report;
    this.files = files;
    occupants = files.stream().map(RingOccupants::of).toList();
  }

  static String text(String name, TapReport report, List<RingFile> files) {
    TapMetrics metrics = new TapMetrics(report, files);
    metrics
        .text
        .gauge(
            "flowstone_tap_info", "What the tap takes packets from, and by whose clock; always 1.")
        .sample(1, "name", name, "clock", report.clock());
    metrics.tap();
    metrics.rings();
    metrics.lanes();
    return metrics.text.toString();
  }

  private void tap() {
    source("packets", "Packets that the source gave, by capture thread.", SourceCounters::packets);
    source("wire_bytes", "Their bytes on the wire.", SourceCounters::wireBytes);
    source("captured_bytes", "Their bytes that were captured.", SourceCounters::capturedBytes);
    source(
        "skipped_records",
        "Records passed over on purpose, such as blocks of a capture file without a packet.",
        SourceCounters::skipped);
    source(
        "lost_packets",
        "Packets that never reached the tap: dropped by the kernel (live), or lost as the capture"
            + " file tells (replay).",
        SourceCounters::lostBeforeTap);
    text.counter("flowstone_tap_malformed_records_total", "Records that could not be used.");
    for (MalformedReason reason : MalformedReason.values()) {
      long count = report.source().malformed().getOrDefault(reason, 0L);
      text.sample(count, "reason", label(reason));
    }
    text.counter("flowstone_tap_notices_total", "What is no loss, but worth knowing.");
    for (SourceNotice notice : SourceNotice.values()) {
      long count = report.source().notices().getOrDefault(notice, 0L);
      text.sample(count, "notice", label(notice));
    }
    text.counter("flowstone_tap_parsed_packets_total", "Packets that the parser described.")
        .sample(report.parsedPackets());
    text.counter(
            "flowstone_tap_offered_packets_total",
            "Packets offered to the rings: each is then written or dropped there.")
        .sample(report.offeredPackets());
  }

  private void source(String what, String help, ToLongFunction<SourceCounters> counter) {
    text.counter("flowstone_tap_source_" + what + "_total", help);
    for (int thread = 0; thread < report.sources().size(); thread++) {
      text.sample(counter.applyAsLong(report.sources().get(thread)), "thread", "" + thread);
    }
  }

  private static String label(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private void rings() {
    ring("offered_packets", "Packets that met the ring.", RingCounters::offeredPackets);
    ring("offered_bytes", "Their bytes on the wire.", RingCounters::offeredBytes);
    ring("written_packets", "Packets that are in the ring.", RingCounters::writtenPackets);
    text.counter("flowstone_ring_dropped_packets_total", "Packets that are not, by cause.");
    eachRing(
        (ring, counters) ->
            text.sample(counters.droppedPackets(), "ring", ring, "cause", "no_room"));
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
            text.sample(counters.latestTimeNs() / SECOND_NS, "ring", ring);
          }
        });
    text.gauge(
        "flowstone_ring_slots", "Room of the ring; a packet or a clock mark takes one slot.");
    for (int ring = 0; ring < files.size(); ring++) {
      text.sample(files.get(ring).identity().slotCount(), "ring", "" + ring);
    }
    text.gauge(
        "flowstone_ring_held_slots", "Slots that readers hold, which nothing may be written into.");
    for (int ring = 0; ring < files.size(); ring++) {
      text.sample(held(ring), "ring", "" + ring);
    }
  }

  private void ring(String what, String help, ToLongFunction<RingCounters> counter) {
    text.counter("flowstone_ring_" + what + "_total", help);
    eachRing((ring, counters) -> text.sample(counter.applyAsLong(counters), "ring", ring));
  }

  private void eachRing(BiConsumer<String, RingCounters> each) {
    for (int ring = 0; ring < report.rings().size(); ring++) {
      each.accept("" + ring, report.rings().get(ring));
    }
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

  private static String[] labels(int ring, RingLanes.Occupant reader) {
    return new String[] {
      "ring",
      "" + ring,
      "lane",
      "" + reader.lane(),
      "reader",
      reader.name(),
      "mode",
      LaneMode.nameOf(reader.mode())
    };
  }

  /** NaN of a lane that claims more than the ring has: its word is damaged. */
  private double lag(int ring, RingLanes.Occupant reader) {
    long slots = occupants.get(ring).slotsFrom(reader.releasedPosition());
    return slots <= files.get(ring).identity().slotCount() ? slots : Double.NaN;
  }
}
