// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import dev.flowstone.offheap.Reason;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.tap.PacketSource;
import dev.flowstone.tap.SourceCounters;
import dev.flowstone.tap.TapLoop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The final counters of a tap, each as its own stage counted it. */
record TapReport(
    SourceCounters source, long offeredPackets, long parsedPackets, List<RingCounters> rings) {

  static TapReport of(PacketSource source, TapLoop loop, RingSetWriter writer) {
    List<RingCounters> rings = new ArrayList<>();
    for (int ring = 0; ring < writer.ringCount(); ring++) {
      rings.add(writer.ringFile(ring).counters());
    }
    return new TapReport(source.counters(), loop.offeredPackets(), loop.parsedPackets(), rings);
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
    return text.append(String.join(", ", each)).append("]}\n").toString();
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
