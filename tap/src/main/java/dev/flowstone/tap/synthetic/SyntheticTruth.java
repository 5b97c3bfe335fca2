// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * The right answers about the packets sent so far, under the names the capture oracles use.
 *
 * @param connections conversations begun, flood packets not among them
 * @param repeatedConnections those among them whose 5-tuple had been used before
 * @param packetsByTcpFlags packets by TCP flags byte, without those that did not occur
 */
public record SyntheticTruth(
    SyntheticOptions options,
    long packets,
    long bytesWire,
    long bytesWireOfIpPackets,
    long ipv4Packets,
    long ipv6Packets,
    long nonIpPackets,
    long firstNs,
    long lastNs,
    long connections,
    long repeatedConnections,
    long distinctDirectional,
    long distinctBidirectional,
    SortedMap<Integer, Long> packetsByTcpFlags,
    SynWindows windows,
    List<SynBurst> synBursts,
    List<FlowSummary> largestDirectional,
    List<FlowSummary> largestBidirectional,
    long floodPackets,
    long floodFirstNs,
    long floodLastNs) {

  private static final long SECOND_NS = 1_000_000_000L;

  /** More SYNs at one destination within one window than the threshold. */
  record SynBurst(long windowStartNs, IpAddress destination, int syns) {}

  public long synWithoutAck() {
    return packetsByTcpFlags.getOrDefault(TcpFlags.SYN, 0L);
  }

  public long synWithAck() {
    return packetsByTcpFlags.getOrDefault(TcpFlags.SYN_ACK, 0L);
  }

  public String toJson() {
    Map<String, Object> file = new LinkedHashMap<>();
    file.put("method", "counted by the generator from what it intends to send");
    file.put("answers", answers());
    file.put("synthetic", synthetic());
    return JsonText.of(file);
  }

  private Map<String, Object> answers() {
    Map<String, Object> answers = new LinkedHashMap<>();
    answers.put("packets", packets);
    answers.put("bytes_wire", bytesWire);
    answers.put("bytes_wire_of_ip_packets", bytesWireOfIpPackets);
    answers.put("classes", Map.of("nonip", nonIpPackets));
    answers.put("distinct_5tuples_directional", distinctDirectional);
    answers.put("distinct_5tuples_bidirectional", distinctBidirectional);
    answers.put("syn_without_ack", synWithoutAck());
    answers.put("syn_with_ack", synWithAck());
    answers.put("tcp_flag_histogram_hex", flagHistogram());
    answers.put("syn_windows", synWindows());
    answers.put(
        "interarrival_top5_directional",
        largestDirectional.stream().map(SyntheticTruth::flow).toList());
    answers.put(
        "interarrival_top5_bidirectional",
        largestBidirectional.stream().map(SyntheticTruth::flow).toList());
    return answers;
  }

  private Map<String, Object> flagHistogram() {
    Map<String, Object> histogram = new LinkedHashMap<>();
    packetsByTcpFlags.forEach(
        (flags, count) -> histogram.put(HexFormat.of().toHexDigits((byte) (int) flags), count));
    return histogram;
  }

  private Map<String, Object> synWindows() {
    Map<String, Object> answers = new LinkedHashMap<>();
    answers.put("windows_with_any_syn_by_dst", windows.withAny());
    answers.put("largest", windows.largest());
    answers.put("windows_with_exactly_10_by_dst", windows.exactlyThreshold());
    answers.put("windows_with_exactly_11_by_dst", windows.oneOverThreshold());
    answers.put("over_10_by_dst_count", windows.overThreshold());
    answers.put("over_10_by_dst", synBursts.stream().map(SyntheticTruth::burst).toList());
    return answers;
  }

  private static Map<String, Object> burst(SynBurst burst) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("window_start_s", burst.windowStartNs() / SECOND_NS);
    answer.put("window_end_s", (burst.windowStartNs() + SynWindows.WINDOW_NS) / SECOND_NS);
    answer.put("dst", burst.destination().toString());
    answer.put("syn", burst.syns());
    return answer;
  }

  private static Map<String, Object> flow(FlowSummary flow) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("src", flow.tuple().source().toString());
    answer.put("dst", flow.tuple().destination().toString());
    answer.put("proto", flow.tuple().protocol());
    answer.put("sport", flow.tuple().sourcePort());
    answer.put("dport", flow.tuple().destinationPort());
    answer.put("packets", flow.packets());
    answer.put("bytes", flow.bytes());
    answer.put("first_ns", flow.firstNs());
    answer.put("last_ns", flow.lastNs());
    answer.put("interarrival_count", flow.packets() - 1);
    answer.put("interarrival_min_ns", flow.minGapNs());
    answer.put("interarrival_max_ns", flow.maxGapNs());
    answer.put("negative_gaps", 0);
    return answer;
  }

  private Map<String, Object> synthetic() {
    Map<String, Object> about = new LinkedHashMap<>();
    about.put("seed", options.seed());
    about.put("flows", options.flows());
    about.put("packets_per_second", options.packetsPerSecond());
    about.put("first_packet_ns", firstNs);
    about.put("last_packet_ns", lastNs);
    about.put("ipv4_packets", ipv4Packets);
    about.put("ipv6_packets", ipv6Packets);
    about.put("connections", connections);
    about.put("repeated_connections", repeatedConnections);
    options.flood().ifPresent(flood -> about.put("flood", flood(flood)));
    return about;
  }

  private Map<String, Object> flood(SynFlood flood) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("victim", flood.victim().getHostAddress());
    answer.put("victim_port", flood.victimPort());
    answer.put("packets_per_second", flood.packetsPerSecond());
    answer.put("packets", floodPackets);
    answer.put("first_ns", floodFirstNs);
    answer.put("last_ns", floodLastNs);
    return answer;
  }
}
