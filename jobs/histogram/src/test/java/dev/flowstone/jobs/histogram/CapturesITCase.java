// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.histogram;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.operators.histogram.HistogramResult;
import dev.flowstone.results.JsonResult;
import dev.flowstone.rules.function.Histogram.Measure;
import dev.flowstone.rules.function.Histogram.Per;
import dev.flowstone.tap.RecordedRings;
import dev.flowstone.tap.replay.ReplayOptions;
import dev.flowstone.tap.replay.ReplaySource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares the results for captures with their oracles: the count, the minimum and the maximum of
 * the gaps of the top flows, if time does not go back. The gaps of all flows are compared with
 * those that are computed from the packets. Each packet is counted, and each result has the form
 * that the schema and the HdrHistogram library require.
 */
class CapturesITCase {
  private static final String ORACLE = ".oracle.json";
  private static final int PARTS = 3;
  private static final int NETWORK_MEBIBYTES = 16;
  private static final int MANAGED_MEBIBYTES = 64;
  private static final ObjectMapper JSON = new ObjectMapper();

  /** All of a capture in one interval or two. */
  private static final Duration LONGEST = Duration.ofDays(7);

  /** One capture has a gap of 21 years: that flow is forgotten meanwhile. */
  private static final Duration REMEMBERED = LONGEST.plusSeconds(10);

  private static LocalCluster cluster;
  private static PublishedForm form;
  private final List<String> wrong = new ArrayList<>();
  private int flowsCompared;
  private int flowsWhoseTimeWentBack;
  private Map<FlowTuple, GapsInRings.Gaps> gaps;

  @BeforeAll
  static void start() throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    cluster =
        LocalCluster.start(
            new ClusterSize(RecordedRings.RINGS, NETWORK_MEBIBYTES, MANAGED_MEBIBYTES),
            configuration);
    form = new PublishedForm();
  }

  @AfterAll
  static void end() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void shouldKnowWhatTheOraclesKnowOfEachThirdCapture() throws Exception {
    compareEach(index -> index % PARTS == 0);
  }

  @Test
  @Tag("slow")
  void shouldKnowWhatTheOraclesKnowOfTheOtherCaptures() throws Exception {
    compareEach(index -> index % PARTS != 0);
  }

  private void compareEach(IntPredicate part) throws Exception {
    Path captures = captures();
    Assumptions.assumeTrue(
        Files.isDirectory(captures), "SKIPPED: no captures in " + captures.toAbsolutePath());
    int compared = 0;
    try (Stream<Path> files = Files.walk(captures)) {
      List<Path> all = files.filter(f -> f.toString().endsWith(ORACLE)).sorted().toList();
      for (Path oracle : IntStream.range(0, all.size()).filter(part).mapToObj(all::get).toList()) {
        compared += compareIfPresent(oracle) ? 1 : 0;
      }
    }
    Assumptions.assumeTrue(compared > 0, "SKIPPED: no oracles in " + captures.toAbsolutePath());
    assertThat(wrong).isEmpty();
    assertThat(flowsCompared).isGreaterThan(compared);
    assertThat(flowsWhoseTimeWentBack).isPositive();
    System.out.printf(
        "CapturesITCase: %d captures, %d flows of oracles; time went back in %d flows%n",
        compared, flowsCompared, flowsWhoseTimeWentBack);
  }

  private boolean compareIfPresent(Path oracle) throws Exception {
    Path file =
        Path.of(oracle.toString().substring(0, oracle.toString().length() - ORACLE.length()));
    JsonNode known = JSON.readTree(oracle.toFile());
    boolean isPresent = known.has("answers") && Files.exists(file);
    if (isPresent) {
      compare(file, known);
    }
    return isPresent;
  }

  private void compare(Path file, JsonNode known) throws Exception {
    JsonNode answers = known.get("answers");
    long packets = answers.get("packets").asLong();
    List<HistogramResult> results = run(file, packets);
    for (JsonNode flow : answers.path("interarrival_top5_directional")) {
      if (flow.path("negative_gaps").asLong() == 0 && flow.get("interarrival_min_ns").isNumber()) {
        compare(file, flow, results);
      }
    }
    compareAll(file, results);
    long counted =
        results.stream()
            .filter(result -> result.subject().measure() == Measure.PACKET_SIZE)
            .mapToLong(HistogramResult::count)
            .sum();
    if (counted != packets) {
      wrong.add(file + ": " + counted + " of " + packets + " packets counted");
    }
  }

  private void compare(Path file, JsonNode flow, List<HistogramResult> results) {
    List<HistogramResult> ofFlow =
        results.stream()
            .filter(result -> result.subject().measure() == Measure.INTER_ARRIVAL)
            .filter(result -> isOf(flow, result.subject().flow()))
            .toList();
    long slackNs = file.toString().endsWith(".erf") ? 1 : 0;
    long count = ofFlow.stream().mapToLong(HistogramResult::count).sum();
    long least = ofFlow.stream().mapToLong(each -> each.sums().least()).min().orElse(-1);
    long greatest = ofFlow.stream().mapToLong(each -> each.sums().greatest()).max().orElse(-1);
    boolean isForgotten = flow.get("interarrival_max_ns").asLong() > REMEMBERED.toNanos();
    if (isForgotten
        ? count >= flow.get("interarrival_count").asLong()
        : count != flow.get("interarrival_count").asLong()
            || Math.abs(least - flow.get("interarrival_min_ns").asLong()) > slackNs
            || Math.abs(greatest - flow.get("interarrival_max_ns").asLong()) > slackNs) {
      wrong.add("%s: %d gaps of %d to %d ns: %s".formatted(file, count, least, greatest, flow));
    }
    flowsCompared++;
  }

  private void compareAll(Path file, List<HistogramResult> results) {
    Map<FlowTuple, List<HistogramResult>> told =
        results.stream()
            .filter(result -> result.subject().measure() == Measure.INTER_ARRIVAL)
            .collect(Collectors.groupingBy(result -> result.subject().flow()));
    gaps.forEach(
        (flow, expected) -> {
          List<HistogramResult> ofFlow = told.getOrDefault(flow, List.of());
          String found =
              GapsInRings.line(
                  ofFlow.stream().mapToLong(HistogramResult::count).sum(),
                  ofFlow.stream()
                      .filter(each -> each.count() > 0)
                      .mapToLong(each -> each.sums().least())
                      .min()
                      .orElse(-1),
                  ofFlow.stream()
                      .filter(each -> each.count() > 0)
                      .mapToLong(each -> each.sums().greatest())
                      .max()
                      .orElse(-1),
                  ofFlow.stream().mapToLong(each -> each.packets().earlier()).sum(),
                  ofFlow.stream().mapToLong(each -> each.packets().clockSteps()).sum());
          if (!found.equals(expected.told())) {
            wrong.add("%s: %s: %s, but %s".formatted(file, flow, found, expected.told()));
          }
          flowsWhoseTimeWentBack += expected.wentBack() ? 1 : 0;
        });
  }

  private static boolean isOf(JsonNode flow, FlowTuple tuple) {
    return tuple.isIp()
        && tuple.sourceAddress().equals(flow.get("src").asText())
        && tuple.destinationAddress().equals(flow.get("dst").asText())
        && tuple.protocol() == flow.get("proto").asInt()
        && tuple.sourcePort() == flow.get("sport").asInt()
        && tuple.destinationPort() == flow.get("dport").asInt();
  }

  private List<HistogramResult> run(Path capture, long packets) throws Exception {
    CollectedResults.ALL.clear();
    try (ScratchFolder folder = ScratchFolder.inMemory("histogram-test");
        ReplaySource source = new ReplaySource(ReplayOptions.once(capture))) {
      RecordedRings.fill(folder.path(), source, packets);
      gaps = GapsInRings.in(folder.path(), RecordedRings.RINGS, REMEMBERED);
      HistogramOptions options = new HistogramOptions();
      options.rings.folders = List.of(folder.path());
      options.rings.bounded = true;
      options.per = Per.FLOW;
      options.of = EnumSet.allOf(Measure.class);
      options.interval = LONGEST;
      options.flows.mostFlows = 1 << 17;
      cluster
          .submit(
              RecordedRings.RINGS,
              environment ->
                  CollectedResults.collect(HistogramJob.histograms(environment, options)))
          .result()
          .get(60, TimeUnit.SECONDS);
    }
    List<HistogramResult> results = List.copyOf(CollectedResults.ALL);
    for (HistogramResult result : results) {
      form.require(result, JsonResult.of(result));
    }
    return results;
  }

  private static Path captures() {
    String named = System.getProperty("flowstone.captures");
    return named != null
        ? Path.of(named)
        : PublishedForm.root().resolve("../shared/captures").normalize();
  }
}
