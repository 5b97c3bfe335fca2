// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Which flows carried most in the last seconds that flow records tell of. */
final class TopTalkers {
  /** Long enough for each flow to have been told of, by the demo's rules. */
  static final int WINDOW_SECONDS = 5;

  /** Of more flows in a second, those that come later are in no ranking. */
  static final int MOST_FLOWS_PER_SECOND = 1 << 16;

  private final TreeMap<Long, Map<String, Long>> bytesOfSecond = new TreeMap<>();

  /**
   * One flow.
   *
   * @param flow from whom to whom
   */
  record Talker(String flow, long bytesPerSecond) {}

  void take(JsonNode flowRecord) {
    long second = TimeUnit.NANOSECONDS.toSeconds(flowRecord.required("last_ns").asLong());
    if (!bytesOfSecond.isEmpty() && second <= bytesOfSecond.lastKey() - WINDOW_SECONDS) {
      return;
    }
    Map<String, Long> bytes = bytesOfSecond.computeIfAbsent(second, _ -> new HashMap<>());
    String flow = nameOf(flowRecord);
    if (bytes.size() < MOST_FLOWS_PER_SECOND || bytes.containsKey(flow)) {
      bytes.merge(flow, flowRecord.required("bytes").asLong(), Long::sum);
    }
    bytesOfSecond.headMap(bytesOfSecond.lastKey() - WINDOW_SECONDS, true).clear();
  }

  private static String nameOf(JsonNode flow) {
    return side(flow, "source") + " > " + side(flow, "destination");
  }

  private static String side(JsonNode flow, String which) {
    String address = flow.required(which + "_address").asText();
    int port = flow.required(which + "_port").asInt();
    return address.contains(":") ? "[" + address + "]:" + port : address + ":" + port;
  }

  /** The largest first. */
  List<Talker> top(int most) {
    Map<String, Long> sums = new HashMap<>();
    bytesOfSecond
        .values()
        .forEach(second -> second.forEach((flow, bytes) -> sums.merge(flow, bytes, Long::sum)));
    return sums.entrySet().stream()
        .map(each -> new Talker(each.getKey(), each.getValue() / WINDOW_SECONDS))
        .sorted(Comparator.comparingLong(Talker::bytesPerSecond).reversed())
        .limit(most)
        .toList();
  }
}
