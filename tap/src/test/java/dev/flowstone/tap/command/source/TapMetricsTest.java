// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingStart;
import dev.flowstone.processes.LoopbackPorts;
import dev.flowstone.raw.MalformedReason;
import dev.flowstone.raw.SourceCounters;
import dev.flowstone.raw.SourceNotice;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a tap at work tells whoever asks over HTTP. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TapMetricsTest {
  /** A reader may choose any name. */
  private static final String READER = "night \"watch\" \\ 1\n2";

  private static final String READS_AS_JSON =
      """
      import json, sys
      from prometheus_client.parser import text_string_to_metric_families as families
      text = open(sys.argv[1], encoding='utf-8', newline='').read()
      print(json.dumps([{'name': family.name, 'type': family.type, 'help': family.documentation,
                         'samples': [{'name': s.name, 'labels': s.labels, 'value': s.value}
                                     for s in family.samples]} for family in families(text)]))
      """;

  /** The names in a row of the page's table. */
  private static final Pattern ROW = Pattern.compile("(?m)^\\| (`flowstone_[^|]*) \\|");

  private static final Pattern NAME = Pattern.compile("`([^`]+)`");
  private static final Pattern FAMILY = Pattern.compile("(?m)^# TYPE (\\S+)");

  private static final SourceCounters NOTHING =
      new SourceCounters(0, 0, 0, 0, 0, Map.of(), List.of(), Map.of());

  @TempDir Path folder;

  private CompletableFuture<Integer> tap(int port, String... more) {
    String[] usual = {
      "--rings",
      folder.resolve("rings").toString(),
      "--ring-count",
      "2",
      "--ring-bytes",
      "64k",
      "--rate",
      "200k",
      "--hold",
      "0s",
      "--metrics",
      "" + port
    };
    String[] arguments = new String[usual.length + more.length];
    System.arraycopy(usual, 0, arguments, 0, usual.length);
    System.arraycopy(more, 0, arguments, usual.length, more.length);
    return CompletableFuture.supplyAsync(
        () -> CommandRunner.run(new SyntheticCommand(), arguments));
  }

  private static Optional<String> ask(HttpClient client, int port) throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).build();
    try {
      HttpResponse<String> answer =
          client.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      return Optional.of(answer.body());
    } catch (IOException notThere) {
      return Optional.empty();
    }
  }

  /** Samples by name and labels, as they are written. */
  private static Map<String, Double> samples(String text) {
    Map<String, Double> samples = new HashMap<>();
    for (String line : text.lines().toList()) {
      if (!line.startsWith("#")) {
        int end = line.lastIndexOf(' ');
        samples.put(line.substring(0, end), Double.valueOf(line.substring(end + 1)));
      }
    }
    return samples;
  }

  private static long sum(Map<String, Double> samples, String name) {
    return samples.entrySet().stream()
        .filter(sample -> sample.getKey().matches(name + "(\\{.*)?"))
        .mapToLong(sample -> sample.getValue().longValue())
        .sum();
  }

  /** Every number another one, so that none can stand in another's place. */
  @Test
  void shouldTellEachCounterByItsName() throws IOException {
    SourceCounters source =
        new SourceCounters(
            1,
            2,
            3,
            4,
            5,
            Map.of(MalformedReason.CUT_SHORT, 6L),
            List.of(),
            Map.of(SourceNotice.ABOVE_MTU, 7L));
    RingCounters ring = new RingCounters(10, 11, 12, 13, 14, 15, 16_000_000_000L, 17, 18, 19, 20);
    TapReport report = new TapReport(List.of(source), "wall", 8, 9, List.of(ring), false);

    Map<String, Double> told = samples(TapMetrics.text("x", report, List.of()));
    told.values().removeIf(value -> value == 0);

    assertThat(told)
        .containsOnly(
            entry("flowstone_tap_info{name=\"x\",clock=\"wall\"}", 1.0),
            entry("flowstone_tap_source_packets_total{thread=\"0\"}", 1.0),
            entry("flowstone_tap_source_wire_bytes_total{thread=\"0\"}", 2.0),
            entry("flowstone_tap_source_captured_bytes_total{thread=\"0\"}", 3.0),
            entry("flowstone_tap_source_lost_packets_total{thread=\"0\"}", 4.0),
            entry("flowstone_tap_source_skipped_records_total{thread=\"0\"}", 5.0),
            entry("flowstone_tap_malformed_records_total{reason=\"cut_short\"}", 6.0),
            entry("flowstone_tap_notices_total{notice=\"above_mtu\"}", 7.0),
            entry("flowstone_tap_offered_packets_total", 8.0),
            entry("flowstone_tap_parsed_packets_total", 9.0),
            entry("flowstone_ring_offered_packets_total{ring=\"0\"}", 10.0),
            entry("flowstone_ring_written_packets_total{ring=\"0\"}", 11.0),
            entry("flowstone_ring_dropped_packets_total{ring=\"0\",cause=\"no_room\"}", 12.0),
            entry("flowstone_ring_saturated_lengths_total{ring=\"0\"}", 14.0),
            entry("flowstone_ring_offered_bytes_total{ring=\"0\"}", 15.0),
            entry("flowstone_ring_latest_time_seconds{ring=\"0\"}", 16.0),
            entry("flowstone_ring_expired_lanes_total{ring=\"0\"}", 19.0),
            entry("flowstone_ring_other_clock_packets_total{ring=\"0\"}", 20.0));
  }

  @Test
  void shouldTellWhatItsPageSays() throws IOException {
    String page = Files.readString(root().resolve("docs/tap-service.md"));
    Set<String> described = new TreeSet<>();
    Matcher rows = ROW.matcher(page);
    while (rows.find()) {
      String family = "";
      Matcher names = NAME.matcher(rows.group(1));
      while (names.find()) {
        String name = names.group(1);
        family = name.startsWith("_") ? sibling(family, name) : name;
        described.add(family);
      }
    }
    Set<String> told = new TreeSet<>();
    TapReport report = new TapReport(List.of(NOTHING), "wall", 0, 0, List.of(), false);
    Matcher families = FAMILY.matcher(TapMetrics.text("x", report, List.of()));
    while (families.find()) {
      told.add(families.group(1));
    }
    assertThat(told).isEqualTo(described);
  }

  /** {@code _wire_bytes_} beside {@code flowstone_tap_source_packets_total}. */
  private static String sibling(String family, String middle) {
    String stem = family.substring(0, family.indexOf('_', family.indexOf('_') + 1));
    return stem + (family.contains("_source_") ? "_source" : "") + middle + "total";
  }

  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("ARCHITECTURE.md"))) {
      folder = folder.getParent();
    }
    return folder;
  }

  /** As often as they can be asked for: no stage is ahead of the one before, none goes back. */
  @Test
  void shouldAddUpAtEveryMomentAndNotDisturbTheTap() throws Exception {
    int port = LoopbackPorts.claimFree();
    CompletableFuture<Integer> tap = tap(port, "--packets", "300000");
    Map<String, Double> before = Map.of();
    int scrapes = 0;
    try (HttpClient client = HttpClient.newHttpClient()) {
      while (!tap.isDone()) {
        Optional<String> text = ask(client, port);
        if (text.isEmpty()) {
          Thread.sleep(5);
          continue;
        }
        scrapes++;
        Map<String, Double> now = samples(text.get());
        long written = sum(now, "flowstone_ring_written_packets_total");
        long dropped = sum(now, "flowstone_ring_dropped_packets_total");
        long met = sum(now, "flowstone_ring_offered_packets_total");
        long offered = sum(now, "flowstone_tap_offered_packets_total");
        long parsed = sum(now, "flowstone_tap_parsed_packets_total");
        assertThat(List.of(0L, written + dropped, met, offered, parsed)).isSorted();
        assertThat(sum(now, "flowstone_tap_source_packets_total")).isGreaterThanOrEqualTo(parsed);
        before.forEach(
            (name, value) -> {
              if (name.contains("_total")) {
                assertThat(now.get(name)).as(name).isGreaterThanOrEqualTo(value);
              }
            });
        before = now;
      }
    }
    assertThat(tap.join()).isZero();
    assertThat(scrapes).isGreaterThan(3);
    assertThat(sum(before, "flowstone_ring_written_packets_total")).isPositive();
    try (RingFile ring = RingFile.open(new RingDirectory(folder.resolve("rings")).ringFile(0));
        RingFile other = RingFile.open(new RingDirectory(folder.resolve("rings")).ringFile(1))) {
      assertThat(ring.counters().writtenPackets() + other.counters().writtenPackets())
          .isEqualTo(300_000);
    }
  }

  /** The parser that Prometheus' own Python client has. */
  @Test
  void shouldBeReadByPrometheusAndNameWhoHoldsTheRing() throws Exception {
    String python = pythonWithClient();
    int port = LoopbackPorts.claimFree();
    CompletableFuture<Integer> tap = tap(port, "--packets", "200000", "--wait-for-reader");
    RingDirectory rings = new RingDirectory(folder.resolve("rings"));
    while (!Files.exists(rings.ringFile(1))) {
      Thread.sleep(5);
    }
    Path scraped = folder.resolve("scraped");
    try (HttpClient client = HttpClient.newHttpClient();
        RingFile file = RingFile.open(rings.ringFile(0));
        RingFile other = RingFile.open(rings.ringFile(1));
        GatingReader _ = new GatingReader(file, READER, RingStart.OLDEST);
        GatingReader _ = new GatingReader(other, "second", RingStart.OLDEST)) {
      String text = "";
      while (sum(samples(text), "flowstone_ring_dropped_packets_total") < 1_000) {
        text = ask(client, port).orElse("");
        Thread.sleep(5);
      }
      Files.writeString(scraped, text);
      assertThat(tap.join()).isZero();
    }
    JsonNode families = parse(python, scraped);
    Map<String, JsonNode> byName = new HashMap<>();
    for (JsonNode family : families) {
      byName.put(family.get("name").asText(), family);
      requireConvention(family);
    }
    assertThat(value(byName, "flowstone_ring_slots", Map.of("ring", "0"))).isEqualTo(1024);
    Map<String, String> lane = Map.of("ring", "0", "lane", "0", "reader", READER, "mode", "gating");
    assertThat(value(byName, "flowstone_lane_lag_slots", lane)).isBetween(1000.0, 1024.0);
    assertThat(value(byName, "flowstone_ring_held_slots", Map.of("ring", "0")))
        .isEqualTo(value(byName, "flowstone_lane_lag_slots", lane));
    assertThat(value(byName, "flowstone_lane_silence_seconds", lane)).isBetween(0.0, 60.0);
    assertThat(value(byName, "flowstone_lane_expiry_seconds", lane)).isEqualTo(600);
    assertThat(
            value(
                byName, "flowstone_ring_dropped_packets", Map.of("ring", "0", "cause", "no_room")))
        .isPositive();
    assertThat(
            value(
                byName,
                "flowstone_tap_info",
                Map.of("name", "synthetic backbone seed 1", "clock", "synthetic")))
        .isEqualTo(1);
    assertThat(value(byName, "flowstone_tap_malformed_records", Map.of("reason", "cut_short")))
        .isZero();
  }

  private static void requireConvention(JsonNode family) {
    String name = family.get("name").asText();
    assertThat(name).matches("flowstone_(tap|ring|lane)_[a-z_]+");
    assertThat(family.get("help").asText()).as(name).isNotBlank();
    assertThat(family.get("type").asText()).as(name).isIn("counter", "gauge");
    for (JsonNode sample : family.get("samples")) {
      assertThat(sample.get("name").asText())
          .as("only what grows ends in _total")
          .isEqualTo(family.get("type").asText().equals("counter") ? name + "_total" : name);
    }
  }

  private static double value(
      Map<String, JsonNode> families, String family, Map<String, String> labels) {
    for (JsonNode sample : families.get(family).get("samples")) {
      if (new ObjectMapper().convertValue(sample.get("labels"), Map.class).equals(labels)) {
        return sample.get("value").asDouble();
      }
    }
    throw new AssertionError("no sample " + labels + " in " + families.get(family));
  }

  private static JsonNode parse(String python, Path scraped)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(python, "-c", READS_AS_JSON, scraped.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    JsonNode families = new ObjectMapper().readTree(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).isZero();
    return families;
  }

  private static String pythonWithClient() throws InterruptedException {
    for (String python : List.of("../build/venv/bin/python", "python3")) {
      try {
        Process process =
            new ProcessBuilder(python, "-c", "import prometheus_client")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (process.waitFor() == 0) {
          return python;
        }
      } catch (IOException notThere) {
        // Perhaps the next one.
      }
    }
    assumeTrue(
        false,
        "SKIPPED: no python3 with prometheus_client here or in build/venv; ./flowstone test makes"
            + " one");
    return "";
  }

  @Test
  void shouldMakeNoRingsWhereThePortIsTaken() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
      assertThat(tap(taken.getLocalPort(), "--packets", "1").join()).isEqualTo(1);
    }
    assertThat(folder).isEmptyDirectory();
  }
}
