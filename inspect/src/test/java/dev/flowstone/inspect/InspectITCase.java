// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect;

import static dev.flowstone.inspect.traffic.TestRecords.ACK;
import static dev.flowstone.inspect.traffic.TestRecords.SYN;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.inspect.report.Inspection;
import dev.flowstone.inspect.report.JsonReport;
import dev.flowstone.inspect.report.TextReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tiny captures, from file to report. */
final class InspectITCase {
  private static final Pattern SHOWN =
      Pattern.compile("```\n\\$ \\./flowstone inspect ([^\n]*)\n(.*?)\n```", Pattern.DOTALL);

  private static final String LEFT_OUT = "   ...";

  private static InspectRun run;

  @TempDir private Path folder;

  @BeforeAll
  static void start() {
    run = InspectRun.start(3);
  }

  @AfterAll
  static void stop() {
    run.close();
  }

  private static List<JsonNode> inspect(List<String> files) throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    List<String> lines = new ArrayList<>();
    run.inspect(files, inspection -> lines.add(new JsonReport().line(inspection)));
    List<JsonNode> answers = new ArrayList<>();
    for (String line : lines) {
      answers.add(mapper.readTree(line));
    }
    return answers;
  }

  @Test
  void shouldAnswerInTheOrderOfTheFilesAndGoOnAfterOneThatCannotBeRead() throws Exception {
    String flood = flood().write(folder.resolve("flood.pcap"));
    String missing = folder.resolve("missing.pcap").toString();
    String text = Files.writeString(folder.resolve("text.pcap"), "no capture at all").toString();
    String empty = new TinyCapture().write(folder.resolve("empty.pcap"));

    List<JsonNode> answers = inspect(List.of(missing, flood, text, empty));

    assertThat(answers)
        .extracting(answer -> answer.get("file").asText())
        .containsExactly(missing, flood, text, empty);
    assertThat(answers.get(0).get("error").asText()).contains("missing.pcap");
    assertThat(answers.get(2).get("error").asText()).contains("accepted: pcap");
    assertThat(answers.get(3).get("packets").asLong()).isZero();
    assertThat(answers.get(3).get("classes")).isEmpty();
    requireFlood(answers.get(1));
  }

  /** People are told the place of each damage; so is who reads the JSON. */
  @Test
  void shouldNameThePlaceWhereACaptureIsCutInTheMiddle() throws Exception {
    Path whole = Path.of(flood().write(folder.resolve("whole.pcap")));
    byte[] bytes = Files.readAllBytes(whole);
    Path cut = Files.write(folder.resolve("cut.pcap"), Arrays.copyOf(bytes, bytes.length - 10));
    List<Inspection> inspections = new ArrayList<>();
    run.inspect(List.of(cut.toString()), inspections::add);
    int place = bytes.length - 16 - 42;

    JsonNode answer = new ObjectMapper().readTree(new JsonReport().line(inspections.getFirst()));
    assertThat(answer.get("malformed").toString()).isEqualTo("{\"CUT_SHORT\":1}");
    assertThat(answer.get("damaged").toString())
        .isEqualTo("[{\"reason\":\"CUT_SHORT\",\"offset\":" + place + "}]");
    assertThat(new TextReport().text(inspections.getFirst())).contains("at byte " + place);
  }

  /** Twelve sources, and an answer to one of them. */
  private static TinyCapture flood() {
    TinyCapture capture = new TinyCapture();
    for (int source = 0; source < 12; source++) {
      capture.tcp(source, 100 + source, 1024 + source, 1, 80, SYN);
    }
    return capture.tcp(50, 1, 80, 100, 1024, SYN | ACK).tcp(40, 1, 80, 100, 1024, ACK).arp(60);
  }

  private static void requireFlood(JsonNode answer) {
    assertThat(answer.get("packets").asLong()).isEqualTo(15);
    assertThat(answer.get("bytes_wire").asLong()).isEqualTo(14 * 54 + 42);
    assertThat(answer.get("distinct_5tuples_directional").asLong()).isEqualTo(13);
    assertThat(answer.get("distinct_5tuples_bidirectional").asLong()).isEqualTo(12);
    assertThat(answer.get("classes").toString()).isEqualTo("{\"ipv4\":14,\"nonip\":1}");
    assertThat(answer.get("syn_windows").get("over_10_by_dst_and_port").toString())
        .isEqualTo(
            "[{\"window_start_s\":0,\"window_end_s\":5,\"dst\":\"10.0.0.1\",\"syn\":12,\"dport\":80}]");
    JsonNode conversation = answer.get("interarrival_top5_bidirectional").get(0);
    assertThat(conversation.toString())
        .isEqualTo(
            """
            {"src":"10.0.0.1","dst":"10.0.0.100","proto":6,"sport":80,"dport":1024,"packets":3,\
            "bytes":162,"first_ns":0,"last_ns":40,"interarrival_count":2,"interarrival_min_ns":-10,\
            "interarrival_max_ns":50,"negative_gaps":1,"sorted_by_time":{"interarrival_count":2,\
            "interarrival_min_ns":10,"interarrival_max_ns":40}}""");
  }

  @Test
  void shouldCountEveryPacketOfManyBatches() throws Exception {
    TinyCapture capture = new TinyCapture();
    int packets = 14_000;
    for (int i = 0; i < packets; i++) {
      capture.tcp(i * 1_000L, i % 7, i % 3, 9, 80, ACK);
    }
    String file = capture.write(folder.resolve("long.pcap"));

    JsonNode answer = inspect(List.of(file)).getFirst();

    assertThat(answer.path("error").isMissingNode()).as("%s", answer).isTrue();
    assertThat(answer.get("packets").asLong()).isEqualTo(packets);
    assertThat(answer.get("distinct_5tuples_directional").asLong()).isEqualTo(21);
    JsonNode top = answer.get("interarrival_top5_directional").get(0);
    assertThat(top.get("interarrival_min_ns").asLong()).isEqualTo(21_000);
    assertThat(top.get("interarrival_max_ns").asLong()).isEqualTo(21_000);
  }

  /** A conversation whose directions differ: one in the order of time, one not. */
  @Test
  void shouldSortTheTimesOfEachFlowThatIsNotInTheOrderOfTime() throws Exception {
    String file =
        new TinyCapture()
            .tcp(100, 1, 5, 2, 80, ACK)
            .tcp(170, 2, 80, 1, 5, ACK)
            .tcp(150, 1, 5, 2, 80, ACK)
            .tcp(130, 2, 80, 1, 5, ACK)
            .tcp(160, 2, 80, 1, 5, ACK)
            .write(folder.resolve("jumbled.pcap"));

    JsonNode answer = inspect(List.of(file)).getFirst();

    assertThat(sorted(answer.get("interarrival_top5_directional").get(0)))
        .as("130 160 170")
        .isEqualTo("[2,10,30]");
    assertThat(sorted(answer.get("interarrival_top5_directional").get(1)))
        .as("100 150")
        .isEqualTo("[1,50,50]");
    assertThat(sorted(answer.get("interarrival_top5_bidirectional").get(0)))
        .as("100 130 150 160 170")
        .isEqualTo("[4,10,30]");
  }

  private static String sorted(JsonNode flow) {
    List<String> gaps = new ArrayList<>();
    flow.get("sorted_by_time").forEach(value -> gaps.add(value.asText()));
    return "[" + String.join(",", gaps) + "]";
  }

  @Test
  void shouldWriteAReportForPeople() throws Exception {
    String file = flood().write(folder.resolve("flood.pcap"));
    List<String> texts = new ArrayList<>();
    TextReport report = new TextReport();
    run.inspect(List.of(file, "missing"), inspection -> texts.add(report.text(inspection)));

    assertThat(texts.get(0))
        .startsWith(file + "\n")
        .contains("packets     15, 798 bytes on the wire")
        .contains("More than 10 SYNs to one address in 5 s: 1 of 1 windows")
        .contains(
            "10.0.0.1:80  10.0.0.100:1024  TCP             3  20.0%    162   -10 ns    50 ns");
    assertThat(texts.get(1)).startsWith("missing: no such file").doesNotContain("\n");
  }

  @Test
  void shouldShowInTheReadmeWhatTheCommandSays() throws Exception {
    Path root = ProjectRoot.find();
    List<MatchResult> shown =
        SHOWN.matcher(Files.readString(root.resolve("README.md"))).results().toList();
    assertThat(shown).hasSize(1);
    String capture = shown.getFirst().group(1);
    List<String> texts = new ArrayList<>();
    run.inspect(
        List.of(root.resolve(capture).toString()),
        inspection -> texts.add(new TextReport().text(inspection)));

    assertThat(texts.getFirst().replace(root + "/", "").lines().toList())
        .containsSubsequence(
            shown.getFirst().group(2).lines().filter(line -> !line.equals(LEFT_OUT)).toList());
  }
}
