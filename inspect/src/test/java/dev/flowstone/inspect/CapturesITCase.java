// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flowstone.inspect.report.JsonReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every capture of the collection against its oracle, where the collection is present. */
final class CapturesITCase {
  private static final String ORACLE = ".oracle.json";
  private static final int PARTS = 3;

  private final ObjectMapper mapper = new ObjectMapper();

  @Test
  void shouldAnswerAsTheOraclesOfEachThirdCapture() throws Exception {
    compareEach(index -> index % PARTS == 0);
  }

  @Test
  @Tag("slow")
  void shouldAnswerAsTheOraclesOfTheOtherCaptures() throws Exception {
    compareEach(index -> index % PARTS != 0);
  }

  private void compareEach(IntPredicate part) throws Exception {
    Path captures = captures();
    Assumptions.assumeTrue(
        Files.isDirectory(captures), "SKIPPED: no captures in " + captures.toAbsolutePath());
    List<JsonNode> oracles = new ArrayList<>();
    List<String> files = new ArrayList<>();
    collect(captures, part, files, oracles);
    Assumptions.assumeFalse(files.isEmpty(), "SKIPPED: no oracles in " + captures.toAbsolutePath());

    List<String> wrong = new ArrayList<>();
    JsonReport report = new JsonReport();
    List<String> lines = new ArrayList<>();
    try (InspectRun run = InspectRun.start(files.size())) {
      run.inspect(files, inspection -> lines.add(report.line(inspection)));
    }
    for (int i = 0; i < files.size(); i++) {
      boolean isErf = files.get(i).endsWith(".erf");
      if (isErf) {
        OracleRules.excludeCheckSequences((ObjectNode) oracles.get(i).get("answers"));
      }
      long slackNs = isErf ? 1 : 0;
      differences(oracles.get(i), mapper.readTree(lines.get(i)), slackNs)
          .ifPresent(keys -> wrong.add(keys));
    }
    assertThat(wrong).isEmpty();
  }

  private void collect(Path captures, IntPredicate part, List<String> files, List<JsonNode> oracles)
      throws IOException {
    try (Stream<Path> paths = Files.walk(captures)) {
      List<Path> all = paths.filter(p -> p.toString().endsWith(ORACLE)).sorted().toList();
      for (Path path : IntStream.range(0, all.size()).filter(part).mapToObj(all::get).toList()) {
        String file = path.toString().substring(0, path.toString().length() - ORACLE.length());
        JsonNode oracle = mapper.readTree(path.toFile());
        if (oracle.has("answers") && Files.exists(Path.of(file))) {
          files.add(file);
          oracles.add(oracle);
        }
      }
    }
  }

  /** Either method's answers will do. */
  private static Optional<String> differences(JsonNode oracle, JsonNode got, long slackNs) {
    ObjectNode wanted = oracle.get("answers").deepCopy();
    wanted.set("classes", oracle.get("capture").get("classes"));
    List<String> wrong = OracleRules.differences(wanted, got, slackNs);
    JsonNode other = oracle.path("answers_B_tshark");
    if (wrong.isEmpty()
        || (!other.isEmpty() && OracleRules.differences(other, got, slackNs).isEmpty())) {
      return Optional.empty();
    }
    return Optional.of(oracle.get("file") + ": " + wrong + " in " + got);
  }

  private static Path captures() {
    String named = System.getProperty("flowstone.captures");
    return named != null
        ? Path.of(named)
        : ProjectRoot.find().resolve("../shared/captures").normalize();
  }
}
