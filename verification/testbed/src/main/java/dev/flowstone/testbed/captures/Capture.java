// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.captures;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flowstone.testbed.programs.ProjectRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A capture file and what is known about it. */
public record Capture(Path file, JsonNode oracle) {
  private static final String ORACLE_SUFFIX = ".oracle.json";
  private static final int CHECK_SEQUENCE_BYTES = 4;

  /** What is compared, where the oracle knows it. */
  private static final List<String> QUESTIONS =
      List.of(
          "packets",
          "bytes_wire",
          "distinct_5tuples_directional",
          "distinct_5tuples_bidirectional",
          "syn_without_ack",
          "syn_with_ack");

  private static final List<String> WINDOW_QUESTIONS =
      List.of("windows_with_any_syn_by_dst", "largest", "over_10_by_dst_count");

  /** Every capture below the folder whose oracle answers; none when there is no such folder. */
  public static List<Capture> below(Path folder) throws IOException {
    List<Capture> captures = new ArrayList<>();
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path oracle :
            files.filter(f -> f.toString().endsWith(ORACLE_SUFFIX)).sorted().toList()) {
          JsonNode known = new ObjectMapper().readTree(oracle.toFile());
          String name = oracle.getFileName().toString();
          Path file =
              oracle.resolveSibling(name.substring(0, name.length() - ORACLE_SUFFIX.length()));
          if (known.has("answers") && Files.exists(file)) {
            excludeCheckSequences(name, (ObjectNode) known.get("answers"));
            captures.add(new Capture(file, known));
          }
        }
      }
    }
    return captures;
  }

  /** The oracles of ERF files count the check sequence of each frame. */
  private static void excludeCheckSequences(String name, ObjectNode answers) {
    if (name.endsWith(".erf" + ORACLE_SUFFIX)) {
      long sequencesBytes = answers.get("packets").asLong() * CHECK_SEQUENCE_BYTES;
      answers.put("bytes_wire", answers.get("bytes_wire").asLong() - sequencesBytes);
    }
  }

  /** Those of the collection; whoever asks for them is skipped where one is missing. */
  public static List<Capture> named(List<String> names) throws IOException {
    List<Capture> captures =
        below(ProjectRoot.captures()).stream()
            .filter(capture -> names.contains(capture.file().getFileName().toString()))
            .toList();
    assumeTrue(
        captures.size() == names.size(),
        "SKIPPED: no captures at "
            + ProjectRoot.captures()
            + "; name them with -Dflowstone.captures=DIR");
    return captures;
  }

  public long packets() {
    return oracle.get("answers").get("packets").asLong();
  }

  /** Where answers differ from those of the oracle's method A, and from B's where it has others. */
  public List<String> differences(JsonNode answers) {
    List<String> fromA = differences(answers, oracle.get("answers"), true);
    JsonNode methodB = oracle.path("answers_B_tshark");
    boolean accepted = methodB.isObject() && differences(answers, methodB, false).isEmpty();
    return accepted ? List.of() : fromA;
  }

  private List<String> differences(JsonNode answers, JsonNode known, boolean withClasses) {
    List<String> found = new ArrayList<>();
    QUESTIONS.forEach(name -> compare(found, name, answers.get(name), known.path(name)));
    WINDOW_QUESTIONS.forEach(
        name ->
            compare(
                found,
                name,
                answers.get("syn_windows").get(name),
                known.path("syn_windows").path(name)));
    if (withClasses) {
      compare(found, "classes", answers.get("classes"), oracle.path("capture").path("classes"));
    }
    return found;
  }

  private void compare(List<String> found, String name, JsonNode got, JsonNode wanted) {
    // As text: the same number may be an int here and a long there.
    if (!wanted.isMissingNode() && !wanted.isNull() && !sameAs(got, wanted)) {
      found.add(file.getFileName() + ": " + name + " is " + got + ", known is " + wanted);
    }
  }

  private static boolean sameAs(JsonNode got, JsonNode wanted) {
    return got.isObject() ? got.equals(wanted) : got.asText().equals(wanted.asText());
  }
}
