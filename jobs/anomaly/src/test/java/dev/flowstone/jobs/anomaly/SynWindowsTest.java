// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.jobs.anomaly.alert.SynWindow;
import dev.flowstone.rules.function.Detector;
import dev.flowstone.tap.replay.ReplayOptions;
import dev.flowstone.tap.replay.ReplaySource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Every capture of the collection against its oracle, where the collection is present. */
@SuppressWarnings("try") // Its close throws whatever the operators' do.
class SynWindowsTest {
  private static final String ORACLE = ".oracle.json";
  private static final long NS_PER_SECOND = 1_000_000_000;

  /** One window of one destination, written alike by whoever found it. */
  private static String line(long beginSeconds, String destination, long count) {
    return beginSeconds + " " + destination + " " + count;
  }

  @Test
  void shouldBeThoseOfEveryCapturesOracle() throws Exception {
    Path captures = captures();
    Assumptions.assumeTrue(
        Files.isDirectory(captures), "SKIPPED: no captures in " + captures.toAbsolutePath());
    List<String> wrong = new ArrayList<>();
    int compared = 0;
    int windows = 0;
    try (Stream<Path> paths = Files.walk(captures)) {
      for (Path path : paths.filter(p -> p.toString().endsWith(ORACLE)).sorted().toList()) {
        Path capture = Path.of(path.toString().replace(ORACLE, ""));
        JsonNode oracle = new ObjectMapper().readTree(path.toFile());
        if (!oracle.path("answers").has("syn_windows") || !Files.exists(capture)) {
          continue;
        }
        Set<String> found = found(capture);
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
    System.out.printf("SynWindowsTest: %d captures, %d windows%n", compared, windows);
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

  /** By packet time only: the only watermark is the last one. */
  private static Set<String> found(Path capture) throws Exception {
    Set<String> lines = new TreeSet<>();
    try (ReplaySource source = new ReplaySource(ReplayOptions.once(capture));
        DetectorRun run = DetectorRun.of(DetectorRun.detector(Detector.Kind.SYN_FLOOD, 10))) {
      SourceBlocks.each(source, run::give);
      run.end();
      for (SynWindow window : run.synWindows()) {
        assertThat(window.endNs() - window.beginNs()).isEqualTo(5 * NS_PER_SECOND);
        long begin = window.beginNs() / NS_PER_SECOND;
        assertThat(lines.add(line(begin, window.destination(), window.count()))).isTrue();
      }
    }
    return lines;
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
