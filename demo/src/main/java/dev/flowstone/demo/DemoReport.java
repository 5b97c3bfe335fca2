// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flowstone.offheap.ring.RingCounters;
import java.io.IOException;
import java.nio.file.Path;

/** The final counters as JSON. */
final class DemoReport {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private DemoReport() {}

  static JsonNode readTap(Path tapReport) throws IOException {
    return JSON.readTree(tapReport.toFile());
  }

  static void write(Path file, DemoCounters counters, JsonNode tap, double seconds)
      throws IOException {
    ObjectNode report = JSON.createObjectNode();
    report.put("offered", tap.get("offered").asLong());
    report.put("written", counters.written());
    report.put("dropped", counters.dropped());
    report.put("consumed", counters.consumed());
    report.put("lost", counters.lost());
    report.put("balanced", isBalanced(counters, tap));
    report.put("seconds", seconds);
    report.set("tap", tap);
    counters.rings().forEach(ring -> report.withArray("rings").add(ring(ring)));
    report
        .putObject("source")
        .put("consumed", counters.sourceConsumed())
        .put("lost", counters.sourceLost());
    report
        .putObject("packet_batches")
        .put("packets", counters.packed())
        .put("bytes", counters.packedBytes());
    report
        .putObject("kafka")
        .put("packets", counters.consumed())
        .put("lost", counters.lost())
        .put("batches", counters.batches());
    JSON.writeValue(file.toFile(), report);
  }

  /** The tap's own count of what its source had must be what the rings were offered. */
  static boolean isBalanced(DemoCounters counters, JsonNode tap) {
    return counters.isBalanced() && tap.get("offered").asLong() == counters.offered();
  }

  private static ObjectNode ring(RingCounters ring) {
    return JSON.createObjectNode()
        .put("offered", ring.offeredPackets())
        .put("written", ring.writtenPackets())
        .put("dropped", ring.droppedPackets())
        .put("lost_recorded", ring.lostRecorded());
  }
}
