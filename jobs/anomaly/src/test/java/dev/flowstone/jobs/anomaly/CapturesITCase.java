// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.anomaly.alert.SynWindow;
import dev.flowstone.tap.RecordedRings;
import dev.flowstone.tap.replay.ReplayOptions;
import dev.flowstone.tap.replay.ReplaySource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The job without options finds the SYN windows that the oracles of captures contain. */
class CapturesITCase {
  private static final String ORACLE = ".oracle.json";
  private static final int PARTS = 3;
  private static final int NETWORK_MEBIBYTES = 16;
  private static final int MANAGED_MEBIBYTES = 64;
  private static final long NS_PER_SECOND = 1_000_000_000;
  private static final long LIMIT_SECONDS = 60;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Queue<SynWindow> FOUND = new ConcurrentLinkedQueue<>();

  private static final class Kept implements MapFunction<SynWindow, SynWindow> {
    private static final long serialVersionUID = 1L;

    @Override
    public SynWindow map(SynWindow window) {
      FOUND.add(window);
      return window;
    }
  }

  @Test
  void shouldFindTheWindowsOfTheOracleOfEachThirdCapture() throws Exception {
    compareEach(index -> index % PARTS == 0);
  }

  @Test
  @Tag("slow")
  void shouldFindTheWindowsOfTheOraclesOfTheOtherCaptures() throws Exception {
    compareEach(index -> index % PARTS != 0);
  }

  private static void compareEach(IntPredicate part) throws Exception {
    Path captures = captures();
    Assumptions.assumeTrue(
        Files.isDirectory(captures), "SKIPPED: no captures in " + captures.toAbsolutePath());
    Configuration configuration = new Configuration();
    configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    List<String> wrong = new ArrayList<>();
    int compared = 0;
    int windows = 0;
    try (LocalCluster cluster =
            LocalCluster.start(
                new ClusterSize(RecordedRings.RINGS, NETWORK_MEBIBYTES, MANAGED_MEBIBYTES),
                configuration);
        Stream<Path> paths = Files.walk(captures)) {
      List<Path> oracles = paths.filter(p -> p.toString().endsWith(ORACLE)).sorted().toList();
      for (Path path :
          IntStream.range(0, oracles.size()).filter(part).mapToObj(oracles::get).toList()) {
        Path capture = Path.of(path.toString().replace(ORACLE, ""));
        JsonNode oracle = JSON.readTree(path.toFile());
        if (!oracle.path("answers").has("syn_windows") || !Files.exists(capture)) {
          continue;
        }
        Set<String> found = found(cluster, capture, oracle.get("answers").get("packets").asLong());
        compared++;
        windows += found.size();
        if (!found.equals(known(oracle.get("answers")))
            && !(oracle.path("answers_B_tshark").has("syn_windows")
                && found.equals(known(oracle.get("answers_B_tshark"))))) {
          wrong.add(capture.getFileName() + ": " + found);
        }
      }
    }
    assertThat(wrong).isEmpty();
    Assumptions.assumeTrue(compared > 0, "SKIPPED: no oracles in " + captures.toAbsolutePath());
    assertThat(windows).isPositive();
    System.out.printf("CapturesITCase: %d captures, %d windows%n", compared, windows);
  }

  private static Set<String> known(JsonNode answers) {
    Set<String> lines = new TreeSet<>();
    for (JsonNode window : answers.get("syn_windows").get("over_10_by_dst")) {
      lines.add(
          line(
              window.get("window_start_s").asLong(),
              window.get("dst").asText(),
              window.get("syn").asLong()));
    }
    return lines;
  }

  /** Each is found once. */
  private static Set<String> found(LocalCluster cluster, Path capture, long packets)
      throws Exception {
    FOUND.clear();
    try (ScratchFolder folder = ScratchFolder.inMemory("anomaly-test");
        ReplaySource source = new ReplaySource(ReplayOptions.once(capture))) {
      RecordedRings.fill(folder.path(), source, packets);
      AnomalyOptions options = new AnomalyOptions();
      options.rings.folders = List.of(folder.path());
      options.rings.bounded = true;
      cluster
          .submit(RecordedRings.RINGS, environment -> keepWindows(environment, options))
          .result()
          .get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
    Set<String> lines = new TreeSet<>();
    for (SynWindow window : FOUND) {
      assertThat(window.endNs() - window.beginNs()).isEqualTo(5 * NS_PER_SECOND);
      long begin = window.beginNs() / NS_PER_SECOND;
      assertThat(lines.add(line(begin, window.destination(), window.count()))).isTrue();
    }
    return lines;
  }

  private static void keepWindows(StreamExecutionEnvironment environment, AnomalyOptions options) {
    Anomalies found = AnomalyJob.anomalies(AnomalyJob.blocks(environment, options), options);
    found.alerts().sinkTo(new DiscardingSink<>());
    found.synWindows().map(new Kept()).returns(SynWindow.class).sinkTo(new DiscardingSink<>());
  }

  /** One window of one destination, written alike by whoever found it. */
  private static String line(long beginSeconds, String destination, long count) {
    return beginSeconds + " " + destination + " " + count;
  }

  private static Path captures() throws IOException {
    String named = System.getProperty("flowstone.captures");
    Path folder = Path.of("").toAbsolutePath();
    while (folder.getParent() != null && !Files.exists(folder.resolve("ARCHITECTURE.md"))) {
      folder = folder.getParent();
    }
    return named != null ? Path.of(named) : folder.resolve("../shared/captures").normalize();
  }
}
