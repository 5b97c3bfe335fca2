// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.raw.SourceCounters;
import dev.flowstone.tap.command.run.ReportFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The counters of a tap, each as its own stage counted it.
 *
 * @param sources of each thread that takes packets
 * @param clock what stamps the packets
 * @param ended whether nothing changes any more
 */
record TapReport(
    List<SourceCounters> sources,
    String clock,
    long offeredPackets,
    long parsedPackets,
    List<RingCounters> rings,
    boolean ended) {

  /** Against the packets' way, so that no stage seems to be ahead of the one before. */
  static TapReport whileRunning(RunningTap tap) {
    List<RingCounters> rings = rings(tap);
    long offered = tap.loop().offeredPackets();
    long parsed = tap.loop().parsedPackets();
    String clock = RingClock.nameOf(tap.sources().clock());
    return new TapReport(tap.sources().latest(), clock, offered, parsed, rings, false);
  }

  /** For the thread that ran the loop. */
  static TapReport atTheEnd(RunningTap tap) {
    return new TapReport(
        tap.sources().counters(),
        RingClock.nameOf(tap.sources().clock()),
        tap.loop().offeredPackets(),
        tap.loop().parsedPackets(),
        rings(tap),
        true);
  }

  private static List<RingCounters> rings(RunningTap tap) {
    return tap.files().stream().map(RingFile::counters).toList();
  }

  /** Of all threads together. */
  SourceCounters source() {
    return sources.stream().reduce(SourceCounters::plus).orElseThrow();
  }

  long droppedPackets() {
    return rings.stream().mapToLong(RingCounters::droppedPackets).sum();
  }

  void finish(Optional<Path> file) {
    long written = rings.stream().mapToLong(RingCounters::writtenPackets).sum();
    System.err.printf(
        "%,d packets offered = %,d written + %,d dropped%n",
        offeredPackets, written, droppedPackets());
    if (sources.size() > 1) {
      System.err.println(
          sources.stream()
              .map(each -> "%,d".formatted(each.packets()))
              .collect(Collectors.joining(", ", "  by thread: ", "")));
    }
    SourceCounters source = source();
    if (source.lostBeforeTap() > 0) {
      System.err.printf(
          "  before that %,d were lost: by the kernel (see tap live --blocks), or as the capture"
              + " itself tells%n",
          source.lostBeforeTap());
    }
    source
        .malformed()
        .forEach((reason, count) -> System.err.printf("  malformed: %s %,d%n", reason, count));
    new TreeMap<>(source.notices())
        .forEach((notice, count) -> System.err.printf("  %s: %,d%n", notice.text(), count));
    file.ifPresent(path -> ReportFile.write(path, json()));
  }

  String json() {
    SourceCounters source = source();
    StringBuilder text = new StringBuilder("{");
    field(text, "source_packets", source.packets()).append(", ");
    field(text, "source_wire_bytes", source.wireBytes()).append(", ");
    field(text, "lost_before_tap", source.lostBeforeTap()).append(", ");
    field(text, "offered", offeredPackets).append(", ");
    field(text, "parsed", parsedPackets).append(", ");
    text.append("\"clock\": \"").append(clock).append("\", ");
    counts(text, "malformed", source.malformed()).append(", ");
    counts(text, "notices", source.notices()).append(", \"rings\": [");
    List<String> each = rings.stream().map(TapReport::ring).toList();
    return text.append(String.join(", ", each))
        .append("], \"ended\": ")
        .append(ended)
        .append("}\n")
        .toString();
  }

  private static StringBuilder counts(
      StringBuilder text, String name, Map<? extends Enum<?>, Long> counts) {
    return text.append('"')
        .append(name)
        .append("\": {")
        .append(
            counts.entrySet().stream()
                .map(entry -> "\"" + entry.getKey().name() + "\": " + entry.getValue())
                .collect(Collectors.joining(", ")))
        .append('}');
  }

  private static String ring(RingCounters counters) {
    StringBuilder text = new StringBuilder("{");
    field(text, "offered", counters.offeredPackets()).append(", ");
    field(text, "written", counters.writtenPackets()).append(", ");
    field(text, "dropped", counters.droppedPackets()).append(", ");
    field(text, "lost_recorded", counters.lostRecorded()).append(", ");
    field(text, "lost_before_tap", counters.lostBeforeTap()).append(", ");
    field(text, "saturated_lengths", counters.saturatedLengths()).append(", ");
    field(text, "expired_lanes", counters.expiredLanes()).append(", ");
    field(text, "offered_bytes", counters.offeredBytes());
    return text.append("}").toString();
  }

  private static StringBuilder field(StringBuilder text, String name, long value) {
    return text.append('"').append(name).append("\": ").append(value);
  }
}
