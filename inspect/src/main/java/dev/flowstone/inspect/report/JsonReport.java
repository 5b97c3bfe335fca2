// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flowstone.inspect.count.InspectException;
import dev.flowstone.inspect.flow.FlowSummary;
import dev.flowstone.inspect.flow.Gaps;
import dev.flowstone.inspect.traffic.SynCount;
import dev.flowstone.inspect.traffic.SynReport;
import dev.flowstone.inspect.traffic.TrafficSummary;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Writes an inspection as one line of JSON. */
public final class JsonReport {
  private static final int MOST_PORT_WINDOWS = 50;

  private final ObjectMapper mapper = new ObjectMapper();

  public String line(Inspection inspection) {
    ObjectNode line = mapper.createObjectNode().put("file", inspection.file());
    switch (inspection) {
      case Inspection.Failure failure -> line.put("error", failure.error());
      case Inspection.Answer answer -> putAnswer(line, answer);
    }
    try {
      return mapper.writeValueAsString(line);
    } catch (JsonProcessingException e) {
      throw new InspectException(inspection.file() + ": cannot write the answer as JSON", e);
    }
  }

  private void putAnswer(ObjectNode line, Inspection.Answer answer) {
    TrafficSummary summary = answer.summary();
    line.put("packets", summary.packets());
    line.put("bytes_wire", summary.bytesWire());
    line.put("distinct_5tuples_directional", summary.directionalFlows());
    line.put("distinct_5tuples_bidirectional", summary.bidirectionalFlows());
    line.put("syn_without_ack", summary.synWithoutAck());
    line.put("syn_with_ack", summary.synWithAck());
    line.set("syn_windows", synWindows(summary.syns()));
    line.set("interarrival_top5_directional", flows(summary.topDirectional()));
    line.set("interarrival_top5_bidirectional", flows(summary.topBidirectional()));
    ObjectNode classes = line.putObject("classes");
    summary.classes().forEach(classes::put);
    if (summary.saturatedLengths() > 0) {
      line.put("saturated_lengths", summary.saturatedLengths());
    }
    if (!answer.source().malformed().isEmpty()) {
      ObjectNode malformed = line.putObject("malformed");
      answer.source().malformed().forEach((why, count) -> malformed.put(why.name(), count));
      ArrayNode places = line.putArray("damaged");
      answer
          .source()
          .notes()
          .forEach(
              note ->
                  places
                      .addObject()
                      .put("reason", note.reason().name())
                      .put("offset", note.offset()));
    }
  }

  private ObjectNode synWindows(SynReport report) {
    ObjectNode windows = mapper.createObjectNode();
    windows.put("windows_with_any_syn_by_dst", report.windows());
    windows.put("largest", report.largest());
    windows.put("windows_with_exactly_10_by_dst", report.withExactly10());
    windows.put("windows_with_exactly_11_by_dst", report.withExactly11());
    windows.put("over_10_by_dst_count", report.overByDestination().size());
    ArrayNode byDestination = windows.putArray("over_10_by_dst");
    report.overByDestination().forEach(count -> putWindow(byDestination.addObject(), count));
    windows.put("over_10_by_dst_and_port_count", report.overByPort().size());
    ArrayNode byPort = windows.putArray("over_10_by_dst_and_port");
    report.overByPort().stream()
        .limit(MOST_PORT_WINDOWS)
        .forEach(count -> putWindow(byPort.addObject(), count).put("dport", count.port()));
    return windows;
  }

  private static ObjectNode putWindow(ObjectNode window, SynCount count) {
    return window
        .put("window_start_s", TimeUnit.NANOSECONDS.toSeconds(count.windowStartNs()))
        .put(
            "window_end_s",
            TimeUnit.NANOSECONDS.toSeconds(count.windowStartNs() + SynCount.WINDOW_NS))
        .put("dst", count.address())
        .put("syn", count.count());
  }

  private ArrayNode flows(List<FlowSummary> flows) {
    ArrayNode array = mapper.createArrayNode();
    for (FlowSummary flow : flows) {
      ObjectNode node = array.addObject();
      node.put("src", flow.source());
      node.put("dst", flow.destination());
      node.put("proto", flow.protocol());
      node.put("sport", flow.sourcePort());
      node.put("dport", flow.destinationPort());
      node.put("packets", flow.packets());
      node.put("bytes", flow.bytes());
      node.put("first_ns", flow.firstNs());
      node.put("last_ns", flow.lastNs());
      putGaps(node, flow.gaps());
      node.put("negative_gaps", flow.negativeGaps());
      putGaps(node.putObject("sorted_by_time"), flow.gapsByTime());
    }
    return array;
  }

  private static void putGaps(ObjectNode node, Gaps gaps) {
    node.put("interarrival_count", gaps.count());
    node.put("interarrival_min_ns", gaps.minNs());
    node.put("interarrival_max_ns", gaps.maxNs());
  }
}
