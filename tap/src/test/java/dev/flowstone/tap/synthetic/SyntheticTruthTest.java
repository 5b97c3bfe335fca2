// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The truth against a count over the frames themselves. */
class SyntheticTruthTest {
  private static final long WINDOW_S = 5;

  private static final SyntheticOptions EVERYTHING =
      SyntheticOptions.DEFAULT
          .withSeed(7)
          .withFlows(2_000)
          .withPacketsPerSecond(50_000)
          .withPacketLimit(800_000)
          .withFlood(
              new SynFlood(
                  Duration.ofSeconds(3),
                  Duration.ofSeconds(4),
                  20_000,
                  SynFlood.address("203.0.113.9"),
                  80))
          .withMicroburst(new Microburst(Duration.ofMillis(250), 200, 1514, 10_000_000_000L));

  @TempDir private Path directory;

  @Test
  void shouldEqualAnIndependentCount() throws IOException {
    assertTruth(EVERYTHING);
  }

  @Test
  void shouldEqualAnIndependentCountWhenTheVictimIsAServer() throws IOException {
    SynFlood flood = EVERYTHING.flood().orElseThrow();
    assertTruth(
        EVERYTHING.withFlood(
            new SynFlood(
                flood.after(),
                flood.duration(),
                flood.packetsPerSecond(),
                SynFlood.address("198.18.0.3"),
                443)));
  }

  private void assertTruth(SyntheticOptions options) throws IOException {
    FrameCount count = new FrameCount();
    Path file = directory.resolve("truth.json");
    try (SyntheticSource source = new SyntheticSource(options)) {
      SentFrames.forEach(source, count::accept);
      source.writeTruth(file);
    }
    JsonNode answers = new ObjectMapper().readTree(file.toFile()).get("answers");
    assertThat(answers.get("packets").asLong()).isEqualTo(count.packets);
    assertThat(answers.get("bytes_wire").asLong()).isEqualTo(count.bytes);
    assertThat(answers.get("bytes_wire_of_ip_packets").asLong()).isEqualTo(count.ipBytes);
    assertThat(answers.get("classes").get("nonip").asLong()).isEqualTo(count.nonIp);
    assertThat(answers.get("distinct_5tuples_directional").asInt()).isEqualTo(count.flows.size());
    assertThat(answers.get("distinct_5tuples_bidirectional").asInt())
        .isEqualTo(count.conversations.size());
    assertThat(answers.get("syn_without_ack").asLong()).isEqualTo(count.flags[2]);
    assertThat(answers.get("syn_with_ack").asLong()).isEqualTo(count.flags[18]);
    assertThat(synWindows(answers)).isEqualTo(count.synsOverTen());
    assertTopFlows(answers.get("interarrival_top5_directional"), count.flows);
    assertTopFlows(answers.get("interarrival_top5_bidirectional"), count.conversations);
  }

  private static Map<String, Integer> synWindows(JsonNode answers) throws UnknownHostException {
    Map<String, Integer> windows = new HashMap<>();
    for (JsonNode window : answers.get("syn_windows").get("over_10_by_dst")) {
      String key = window.get("window_start_s").asLong() + " " + plain(window.get("dst").asText());
      windows.put(key, window.get("syn").asInt());
    }
    return windows;
  }

  private static void assertTopFlows(JsonNode top, Map<String, FlowCount> flows)
      throws UnknownHostException {
    List<Long> largest =
        flows.values().stream().map(flow -> flow.packets).sorted((a, b) -> b.compareTo(a)).toList();
    assertThat(top).hasSize(5);
    for (int i = 0; i < 5; i++) {
      JsonNode flow = top.get(i);
      assertThat(flow.get("packets").asLong()).isEqualTo(largest.get(i));
      FlowCount expected = find(flow, flows);
      assertThat(flow.get("packets").asLong()).isEqualTo(expected.packets);
      assertThat(flow.get("bytes").asLong()).isEqualTo(expected.bytes);
      assertThat(flow.get("first_ns").asLong()).isEqualTo(expected.firstNs);
      assertThat(flow.get("last_ns").asLong()).isEqualTo(expected.lastNs);
      assertThat(flow.get("interarrival_count").asLong()).isEqualTo(expected.packets - 1);
      assertThat(flow.get("interarrival_min_ns").asLong()).isEqualTo(expected.minGapNs);
      assertThat(flow.get("interarrival_max_ns").asLong()).isEqualTo(expected.maxGapNs);
    }
  }

  private static FlowCount find(JsonNode flow, Map<String, FlowCount> flows)
      throws UnknownHostException {
    String source = plain(flow.get("src").asText());
    String destination = plain(flow.get("dst").asText());
    String protocol = " " + flow.get("proto").asInt() + " ";
    int sourcePort = flow.get("sport").asInt();
    int destinationPort = flow.get("dport").asInt();
    String forward = source + " " + destination + protocol + sourcePort + " " + destinationPort;
    String backward = destination + " " + source + protocol + destinationPort + " " + sourcePort;
    return flows.containsKey(forward) ? flows.get(forward) : flows.get(backward);
  }

  /** IPv6 as the parser of this test prints it, all groups written out. */
  private static String plain(String address) throws UnknownHostException {
    return InetAddress.ofLiteral(address).getHostAddress();
  }

  private static final class FlowCount {
    private long packets;
    private long bytes;
    private long firstNs;
    private long lastNs;
    private long minGapNs = Long.MAX_VALUE;
    private long maxGapNs;

    void add(ParsedFrame frame) {
      if (packets++ == 0) {
        firstNs = frame.timeNs();
      } else {
        minGapNs = Math.min(minGapNs, frame.timeNs() - lastNs);
        maxGapNs = Math.max(maxGapNs, frame.timeNs() - lastNs);
      }
      lastNs = frame.timeNs();
      bytes += frame.wireBytes();
    }
  }

  private static final class FrameCount {
    private final Map<String, FlowCount> flows = new HashMap<>();
    private final Map<String, FlowCount> conversations = new HashMap<>();
    private final Map<String, Integer> syns = new HashMap<>();
    private final long[] flags = new long[256];
    private long packets;
    private long bytes;
    private long ipBytes;
    private long nonIp;

    void accept(ParsedFrame frame) {
      packets++;
      bytes += frame.wireBytes();
      if (frame.version() == 0) {
        nonIp++;
        return;
      }
      ipBytes += frame.wireBytes();
      flows.computeIfAbsent(frame.flow(), flow -> new FlowCount()).add(frame);
      conversations.computeIfAbsent(frame.conversation(), flow -> new FlowCount()).add(frame);
      flags[frame.flags()]++;
      if (frame.flags() == 2) {
        long windowS = frame.timeNs() / 1_000_000_000 / WINDOW_S * WINDOW_S;
        syns.merge(windowS + " " + frame.destination(), 1, Integer::sum);
      }
    }

    Map<String, Integer> synsOverTen() {
      Set<String> few = new HashSet<>();
      syns.forEach(
          (key, count) -> {
            if (count <= 10) {
              few.add(key);
            }
          });
      Map<String, Integer> many = new HashMap<>(syns);
      many.keySet().removeAll(few);
      return many;
    }
  }
}
