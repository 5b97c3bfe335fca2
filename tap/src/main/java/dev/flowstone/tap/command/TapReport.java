// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import dev.flowstone.offheap.Reason;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.SourceCounters;
import dev.flowstone.tap.TapLoop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The counters of a tap, each as its own stage counted it.
 *
 * @param ended whether nothing changes any more
 */
record TapReport(
    SourceCounters source,
    long offeredPackets,
    long parsedPackets,
    List<RingCounters> rings,
    boolean ended) {

  /** Against the packets' way, so that no stage seems to be ahead of the one before. */
  static TapReport whileRunning(WatchedSource source, TapLoop loop, RingSetWriter writer) {
    List<RingCounters> rings = rings(writer);
    long offered = loop.offeredPackets();
    long parsed = loop.parsedPackets();
    return new TapReport(source.ask(), offered, parsed, rings, false);
  }

  /** For the thread that ran the loop. */
  static TapReport atTheEnd(PacketSource source, TapLoop loop, RingSetWriter writer) {
    return new TapReport(
        source.counters(), loop.offeredPackets(), loop.parsedPackets(), rings(writer), true);
  }

  private static List<RingCounters> rings(RingSetWriter writer) {
    return IntStream.range(0, writer.ringCount())
        .mapToObj(ring -> writer.ringFile(ring).counters())
        .toList();
  }

  void finish(Optional<Path> file) {
    long written = rings.stream().mapToLong(RingCounters::writtenPackets).sum();
    long dropped = rings.stream().mapToLong(RingCounters::droppedPackets).sum();
    System.err.printf(
        "%,d packets offered = %,d written + %,d dropped%n", offeredPackets, written, dropped);
    if (source.kernelDrops() > 0) {
      System.err.printf(
          "  before that the kernel dropped %,d: see tap live --blocks%n", source.kernelDrops());
    }
    source
        .malformed()
        .forEach((reason, count) -> System.err.printf("  malformed: %s %,d%n", reason, count));
    file.ifPresent(this::write);
  }

  private void write(Path file) {
    try {
      Files.writeString(file, json());
    } catch (IOException e) {
      throw new UncheckedIOException(file + ": cannot write the report: " + Reason.of(e), e);
    }
  }

  String json() {
    StringBuilder text = new StringBuilder("{");
    field(text, "source_packets", source.packets()).append(", ");
    field(text, "source_wire_bytes", source.wireBytes()).append(", ");
    field(text, "kernel_drops", source.kernelDrops()).append(", ");
    field(text, "offered", offeredPackets).append(", ");
    field(text, "parsed", parsedPackets).append(", \"malformed\": {");
    List<String> malformed = new ArrayList<>();
    source.malformed().forEach((reason, count) -> malformed.add("\"" + reason + "\": " + count));
    text.append(String.join(", ", malformed)).append("}, \"rings\": [");
    List<String> each = rings.stream().map(TapReport::ring).toList();
    return text.append(String.join(", ", each))
        .append("], \"ended\": ")
        .append(ended)
        .append("}\n")
        .toString();
  }

  private static String ring(RingCounters counters) {
    StringBuilder text = new StringBuilder("{");
    field(text, "offered", counters.offeredPackets()).append(", ");
    field(text, "written", counters.writtenPackets()).append(", ");
    field(text, "dropped", counters.droppedPackets()).append(", ");
    field(text, "lost_recorded", counters.lostRecorded()).append(", ");
    field(text, "saturated_lengths", counters.saturatedLengths()).append(", ");
    field(text, "offered_bytes", counters.offeredBytes());
    return text.append("}").toString();
  }

  private static StringBuilder field(StringBuilder text, String name, long value) {
    return text.append('"').append(name).append("\": ").append(value);
  }
}
