// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import dev.flowstone.traffic.synthetic.SyntheticTruth.Flood;
import dev.flowstone.traffic.synthetic.SyntheticTruth.FlowFigures;
import dev.flowstone.traffic.synthetic.SyntheticTruth.SynWindow;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes a truth as JSON; its texts are names and addresses, which need no escapes. */
final class TruthJson {
  private final SyntheticTruth truth;

  TruthJson(SyntheticTruth truth) {
    this.truth = truth;
  }

  String text() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("packets", truth.packets());
    fields.put("bytes_wire", truth.wireBytes());
    fields.put("bytes_captured", truth.capturedBytes());
    fields.put("first_packet_ns", truth.firstNs());
    fields.put("last_packet_ns", truth.lastNs());
    fields.put("classes", truth.classes());
    fields.put("distinct_5tuples_directional", truth.directionalTuples());
    fields.put("distinct_5tuples_bidirectional", truth.bidirectionalTuples());
    fields.put("syn_without_ack", truth.syns());
    fields.put("syn_with_ack", truth.synAcks());
    fields.put("fin", truth.fins());
    fields.put("syn_windows", synWindows());
    truth.flood().ifPresent(flood -> fields.put("flood", flood(flood)));
    fields.put("interarrival_top_directional", flows(truth.topDirectional()));
    fields.put("interarrival_top_bidirectional", flows(truth.topBidirectional()));
    return value(fields) + "\n";
  }

  private Map<String, Object> synWindows() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("over_10_by_dst_count", truth.synWindowsOver10());
    fields.put(
        "over_10_by_dst",
        truth.synsOver10ByDestination().stream().map(TruthJson::synWindow).toList());
    return fields;
  }

  private static Map<String, Object> synWindow(SynWindow window) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("window_start_ns", window.windowStartNs());
    fields.put("dst", window.destination());
    fields.put("syns", window.syns());
    return fields;
  }

  private static Map<String, Object> flood(Flood flood) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("start_ns", flood.startNs());
    fields.put("last_ns", flood.lastNs());
    fields.put("victim", flood.victim());
    fields.put("packets", flood.packets());
    return fields;
  }

  private static List<Map<String, Object>> flows(List<FlowFigures> flows) {
    return flows.stream().map(TruthJson::flow).toList();
  }

  private static Map<String, Object> flow(FlowFigures flow) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("src", flow.source());
    fields.put("dst", flow.destination());
    fields.put("proto", flow.protocol());
    fields.put("sport", flow.sourcePort());
    fields.put("dport", flow.destinationPort());
    fields.put("packets", flow.packets());
    fields.put("bytes", flow.bytes());
    fields.put("first_ns", flow.firstNs());
    fields.put("last_ns", flow.lastNs());
    fields.put("interarrival_count", flow.packets() - 1);
    fields.put("interarrival_min_ns", flow.minGapNs().orElse(null));
    fields.put("interarrival_max_ns", flow.maxGapNs().orElse(null));
    return fields;
  }

  private static String value(Object value) {
    return switch (value) {
      case null -> "null";
      case Map<?, ?> fields ->
          fields.entrySet().stream()
              .map(field -> "\"" + field.getKey() + "\": " + value(field.getValue()))
              .collect(Collectors.joining(",\n", "{", "}"));
      case List<?> items ->
          items.stream().map(TruthJson::value).collect(Collectors.joining(",\n", "[", "]"));
      case String text -> "\"" + text + "\"";
      default -> value.toString();
    };
  }
}
