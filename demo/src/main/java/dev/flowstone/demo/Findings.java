// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What the job's functions found, as its results tell: counted by kind, and the latest of each kept
 * to be shown. One thread takes results, any may ask.
 */
final class Findings {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Map<String, Long> kinds = new TreeMap<>();
  private final AlertBoard alerts = new AlertBoard();
  private final TopTalkers talkers = new TopTalkers();
  private long flowRecordPackets;
  private GapHistogram histogram;
  private BurstNews burst;

  void take(byte[] message) {
    try {
      take(JSON.readTree(message));
    } catch (IOException e) {
      throw new UncheckedIOException("a result is no JSON", e);
    }
  }

  private synchronized void take(JsonNode result) {
    String kind = result.required("kind").asText();
    kinds.merge(kind, 1L, Long::sum);
    switch (kind) {
      case "alert" -> alerts.take(AlertNews.of(result));
      case "flow_record" -> {
        flowRecordPackets += result.required("packets").asLong();
        talkers.take(result);
      }
      case "burst" -> {
        burst = BurstNews.of(result);
        talkers.take(result);
      }
      case "histogram" -> GapHistogram.of(result).ifPresent(this::take);
      default -> {
        // Of other kinds it is known how many there were.
      }
    }
  }

  /** What came as packets. */
  synchronized void take(FlowBytes packets) {
    talkers.take(packets);
  }

  /** Of several rules or subjects the one with the most packets in the newest interval. */
  private void take(GapHistogram other) {
    if (histogram == null || other.isRatherShownThan(histogram)) {
      histogram = other;
    }
  }

  /** How many results of each kind came. */
  synchronized Map<String, Long> kinds() {
    return new TreeMap<>(kinds);
  }

  /** Packets that all flow records together tell of. */
  synchronized long flowRecordPackets() {
    return flowRecordPackets;
  }

  /** How many alerts were opened. */
  synchronized long alertsOpened() {
    return alerts.opened();
  }

  /** The latest news of each alert, the newest first. */
  synchronized List<AlertNews> alerts() {
    return alerts.newest();
  }

  /** Openings and closings since this was asked last. */
  synchronized List<AlertNews> takeAlertNews() {
    return alerts.takeNews();
  }

  /** Those flows that carried most of late, the largest first. */
  synchronized List<TopTalkers.Talker> talkers(int most) {
    return talkers.top(most);
  }

  /** What the demo's own function told last. */
  synchronized Optional<BurstNews> burst() {
    return Optional.ofNullable(burst);
  }

  synchronized Optional<GapHistogram> histogram() {
    return Optional.ofNullable(histogram);
  }
}
