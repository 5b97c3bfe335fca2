// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingLong;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.captures.Capture;
import dev.flowstone.testbed.captures.CaptureSeconds;
import dev.flowstone.testbed.captures.HandMadeCapture;
import dev.flowstone.testbed.docs.FirstJobProject;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.programs.ProjectRoot;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The project of docs/first-job, built outside of this build from a repository of artifacts, counts
 * a capture's packets by flow and second: once from Maven, on blocks; once as a jar handed to
 * Flink, by key.
 */
@Tag("slow")
class FirstJobITCase {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final String FAVOURITE = "emix.pcap";
  private static final String INSPECT = "dev.flowstone.inspect.InspectCommand";

  /** As FlowSecond prints itself; before it stand the subtask's number and what Maven prints. */
  private static final Pattern COUNT =
      Pattern.compile("([-0-9]+T[:0-9]+Z)  (.*)  packets (\\d+)  bytes (\\d+)\\n");

  @TempDir private static Path folder;
  private static Capture capture;
  private static List<Count> onBlocks;
  private static List<Count> keyed;

  /** A line of the job's output. */
  private record Count(long second, String flow, CaptureSeconds.Sum sum)
      implements Comparable<Count> {
    static Count of(MatchResult line) {
      return new Count(
          Instant.parse(line.group(1)).getEpochSecond(),
          line.group(2),
          new CaptureSeconds.Sum(Long.parseLong(line.group(3)), Long.parseLong(line.group(4))));
    }

    @Override
    public int compareTo(Count other) {
      return toString().compareTo(other.toString());
    }
  }

  /** One of the known captures with many kinds of packets, or the six that anyone can count. */
  private static Capture capture() throws IOException {
    for (Capture known : Capture.below(ProjectRoot.captures())) {
      if (known.file().endsWith(FAVOURITE)) {
        return known;
      }
    }
    Path handMade = folder.resolve("hand-made.pcap");
    HandMadeCapture.write(handMade);
    return new Capture(handMade, new ObjectMapper().readTree(HandMadeCapture.ORACLE));
  }

  @BeforeAll
  static void buildAndRun() throws Exception {
    capture = capture();
    FirstJobProject project = new FirstJobProject(folder);
    try (ScratchFolder rings = ScratchFolder.inMemory("first-job")) {
      fill(rings.path());
      String source = "--rings " + rings.path() + " --bounded true";
      onBlocks = counts(project.packageAndRun(source));
      keyed = counts(project.runJar(List.of((source + " --way keyed").split(" "))));
    }
  }

  private static void fill(Path rings) throws Exception {
    List<String> arguments =
        List.of(
            "replay",
            capture.file().toString(),
            "--rings",
            rings.toString(),
            "--ring-count",
            "2",
            "--ring-bytes",
            "8m");
    String tap = "dev.flowstone.tap.command.TapCommand";
    try (ChildProcess process =
        ChildProcess.start(
            Programs.of(folder, "tap", tap, arguments).withJvmOptions("-Xmx256m"),
            ChildOutput.gatheredIn(folder))) {
      Programs.requireSuccess(process, LIMIT);
    }
  }

  private static List<Count> counts(String output) {
    List<Count> counts = COUNT.matcher(output).results().map(Count::of).sorted().toList();
    assertThat(counts).as(output).isNotEmpty();
    return counts;
  }

  @Test
  void shouldCountTheSameBothWays() {
    assertThat(onBlocks).isEqualTo(keyed);
  }

  @Test
  void shouldPutEveryPacketIntoTheSecondOfTheCapture() throws IOException {
    Map<Long, CaptureSeconds.Sum> seconds = new TreeMap<>();
    onBlocks.forEach(count -> seconds.merge(count.second(), count.sum(), CaptureSeconds.Sum::plus));
    assertThat(seconds).isEqualTo(CaptureSeconds.of(capture.file()));
  }

  @Test
  void shouldFindTheFlowsThatAreKnown() {
    assertThat(
            onBlocks.stream()
                .map(Count::flow)
                .filter(flow -> !flow.startsWith("no IP"))
                .distinct()
                .count())
        .isEqualTo(capture.oracle().get("answers").get("distinct_5tuples_directional").asLong());
  }

  @Test
  void shouldCountWhatInspectCounts() throws Exception {
    JsonNode answers = inspect();
    assertThat(onBlocks.stream().mapToLong(count -> count.sum().packets()).sum())
        .isEqualTo(answers.get("packets").asLong());
    Map<String, Long> packets =
        onBlocks.stream()
            .collect(groupingBy(Count::flow, summingLong(count -> count.sum().packets())));
    JsonNode largest = answers.get("interarrival_top5_directional");
    assertThat(largest).isNotEmpty();
    for (JsonNode flow : largest) {
      assertThat(packets).containsEntry(nameOf(flow), flow.get("packets").asLong());
    }
  }

  private static JsonNode inspect() throws Exception {
    List<String> arguments = List.of("--json", capture.file().toString());
    try (ChildProcess inspect =
        ChildProcess.start(
            Programs.of(folder, "inspect", INSPECT, arguments)
                .withJvmOptions("-Xmx1g", "-XX:+UseParallelGC"),
            ChildOutput.gatheredIn(folder))) {
      Programs.requireSuccess(inspect, LIMIT);
      return new ObjectMapper().readTree(inspect.output());
    }
  }

  /** As FlowSecond names it. */
  private static String nameOf(JsonNode flow) {
    return "%s > %s protocol %d"
        .formatted(end(flow, "src", "sport"), end(flow, "dst", "dport"), flow.get("proto").asInt());
  }

  private static String end(JsonNode flow, String address, String port) {
    String text = flow.get(address).asText();
    return (text.contains(":") ? "[" + text + "]" : text) + ":" + flow.get(port).asInt();
  }

  /** Not among the known flows, but counted. */
  @Test
  void shouldCountPacketsWithoutIp() {
    assertThat(onBlocks).extracting(Count::flow).contains("no IP, EtherType 0x0806");
  }
}
