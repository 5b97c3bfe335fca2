// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flowstone.model.FlowTuple;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Which flows carried most in some seconds of the packets' own time, as told by results that have a
 * flow's bytes, and by the packets that came as packets.
 */
final class TopTalkers {
  static final int WINDOW_SECONDS = 5;

  /**
   * So much later than a packet its flow is told of, by the demo's rules: those of which packets
   * come would seem larger before.
   */
  static final int SETTLING_SECONDS = 3;

  /** Of more flows in a second, those that come later are in no ranking. */
  static final int MOST_FLOWS_PER_SECOND = 1 << 16;

  private final TreeMap<Long, Map<String, Long>> bytesOfSecond = new TreeMap<>();

  /**
   * One flow.
   *
   * @param flow from whom to whom
   */
  record Talker(String flow, long bytesPerSecond) {}

  /** Of a flow record, or another result that names flow, time and bytes alike. */
  void take(JsonNode ofFlow) {
    long second = TimeUnit.NANOSECONDS.toSeconds(ofFlow.required("last_ns").asLong());
    add(second, nameOf(ofFlow), ofFlow.required("bytes").asLong());
  }

  void take(FlowBytes packets) {
    packets.bytes().forEach((flow, bytes) -> add(packets.second(), nameOf(flow), bytes));
  }

  private void add(long second, String flow, long bytes) {
    if (!bytesOfSecond.isEmpty() && second <= oldest()) {
      return;
    }
    Map<String, Long> flows = bytesOfSecond.get(second);
    if (flows == null) {
      flows = new HashMap<>();
      bytesOfSecond.put(second, flows);
      bytesOfSecond.headMap(oldest(), true).clear();
    }
    if (flows.size() < MOST_FLOWS_PER_SECOND || flows.containsKey(flow)) {
      flows.merge(flow, bytes, Long::sum);
    }
  }

  /** The last second that is too long ago. */
  private long oldest() {
    return bytesOfSecond.lastKey() - SETTLING_SECONDS - WINDOW_SECONDS;
  }

  /** From whom to whom. */
  static String nameOf(JsonNode flow) {
    return side(flow, "source") + " > " + side(flow, "destination");
  }

  private static String side(JsonNode flow, String which) {
    return side(flow.required(which + "_address").asText(), flow.required(which + "_port").asInt());
  }

  private static String nameOf(FlowTuple flow) {
    return side(flow.sourceAddress(), flow.sourcePort())
        + " > "
        + side(flow.destinationAddress(), flow.destinationPort());
  }

  private static String side(String address, int port) {
    return address.contains(":") ? "[" + address + "]:" + port : address + ":" + port;
  }

  /** The largest first. */
  List<Talker> top(int most) {
    if (bytesOfSecond.isEmpty()) {
      return List.of();
    }
    Map<String, Long> sums = new HashMap<>();
    bytesOfSecond
        .headMap(bytesOfSecond.lastKey() - SETTLING_SECONDS, true)
        .values()
        .forEach(second -> second.forEach((flow, bytes) -> sums.merge(flow, bytes, Long::sum)));
    return sums.entrySet().stream()
        .map(each -> new Talker(each.getKey(), each.getValue() / WINDOW_SECONDS))
        .sorted(Comparator.comparingLong(Talker::bytesPerSecond).reversed())
        .limit(most)
        .toList();
  }
}
