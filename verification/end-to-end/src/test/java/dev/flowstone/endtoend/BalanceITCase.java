// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo's books: they close, nothing stays behind, and one missing packet shows. */
class BalanceITCase {
  private static final int STOPPED_BY_CTRL_C = 130;
  private static final long GIBIBYTE = 1L << 30;

  /**
   * Every function gets packets within 0.1 s of traffic, but the demo's clock goes on where the
   * machine stands still.
   */
  private static final String LONG_ENOUGH = "5";

  @TempDir private Path folder;

  @Test
  void shouldAccountForEveryPacketAndLeaveNothing() throws Exception {
    try (DemoProcess demo =
        new DemoProcess(folder, List.of(), "--seconds", LONG_ENOUGH, "--rate", "200k")) {
      assertThat(demo.awaitExit()).as(demo.output()).isZero();
      requireBalance(demo.report());
      demo.requireNothingLeft();
    }
  }

  @Test
  void shouldStayWithinItsMemoryAndMachineAndLeaveNothingAfterCtrlC() throws Exception {
    try (DemoProcess demo = new DemoProcess(folder, List.of())) {
      demo.awaitPackets();
      Thread.sleep(2_000);
      ProcessTree tree = demo.tree();
      assertThat(tree.memoryBytes()).as(demo.output()).isBetween(GIBIBYTE, 4 * GIBIBYTE);
      assertThat(tree.listening()).as("web UI and broker at least").hasSizeGreaterThan(1);
      assertThat(tree.listeningBeyondLoopback()).isEmpty();
      demo.interrupt();
      assertThat(demo.awaitExit()).as(demo.output()).isEqualTo(STOPPED_BY_CTRL_C);
      requireBalance(demo.report());
      demo.requireNothingLeft();
    }
  }

  /** Flink, the broker and the tap are all half started then. */
  @Test
  void shouldCloseItsBooksWhenStoppedWhileItStarts() throws Exception {
    try (DemoProcess demo = new DemoProcess(folder, List.of())) {
      demo.awaitBegin();
      Thread.sleep(500);
      demo.interrupt();
      assertThat(demo.awaitExit()).as(demo.output()).isEqualTo(STOPPED_BY_CTRL_C);
      assertThat(demo.report().get("balanced").asBoolean()).as(demo.output()).isTrue();
      demo.requireNothingLeft();
    }
  }

  @Test
  void shouldLeaveNothingWhenItIsToldTwiceBecauseItsTapHangs() throws Exception {
    try (DemoProcess demo = new DemoProcess(folder, List.of())) {
      demo.awaitTraffic();
      demo.suspendTap();
      demo.interrupt();
      // Told a second time before it has understood the first, it would have been told once.
      demo.awaitStopping();
      demo.interrupt();
      assertThat(demo.awaitExit()).as(demo.output()).isEqualTo(STOPPED_BY_CTRL_C);
      assertThat(demo.output()).contains("stopped at once");
      demo.requireNothingLeft();
    }
  }

  /** Tap, job and table all look into that memory; whoever meets it first has to say so. */
  @Test
  void shouldSayWhyItEndsWhenARingIsCutShort() throws Exception {
    try (DemoProcess demo = new DemoProcess(folder, List.of(), "--no-questdb")) {
      demo.awaitPackets();
      demo.cutRing();
      assertThat(demo.awaitExit()).as(demo.output()).isEqualTo(1);
      assertThat(demo.output()).containsPattern("flowstone: .*(cut short|mapped is gone)");
      demo.requireNoRingLeft();
    }
  }

  @Test
  void shouldFailWhenOneRecordDisappearsAfterTheSource() throws Exception {
    Path changed =
        ChangedClass.compile(
            folder,
            "packet-format/src/main/java/dev/flowstone/format/flink/PacketBatchKafkaSchema.java",
            "block.count(),",
            "block.count()" + " - (block.ring() == 0 && batches.getCount() == 0 ? 1 : 0),");
    try (DemoProcess demo =
        new DemoProcess(folder, List.of(changed), "--seconds", "2", "--no-questdb")) {
      assertThat(demo.awaitExit()).as(demo.output()).isEqualTo(1);
      JsonNode report = demo.report();
      assertThat(report.get("balanced").asBoolean()).isFalse();
      assertThat(count(report, "consumed") + count(report, "lost") + count(report, "not_passed"))
          .isEqualTo(count(report, "offered") - 1);
      assertThat(report.get("differences"))
          .extracting(JsonNode::asText)
          .as("the place where it disappeared, and that it did not come back")
          .hasSize(2)
          .anyMatch(text -> text.matches("in blocks to be packed .* in messages .*: 1 missing"))
          .anyMatch(text -> text.matches("offered to rings .* at the consumer .*: 1 missing"));
      assertThat(demo.output()).contains("NOT BALANCED");
      demo.requireNothingLeft(3);
    }
  }

  @Test
  void shouldNameTheFunctionThatMissesPackets() throws Exception {
    Path changed =
        ChangedClass.compile(
            folder,
            "jobs/anomaly/src/main/java/dev/flowstone/jobs/anomaly/pane/PaneOperator.java",
            "packets.inc(block.count());",
            "packets.inc(block.count() - (packets.getCount() == 0 && block.ring() == 0 ? 1 : 0));");
    try (DemoProcess demo =
        new DemoProcess(folder, List.of(changed), "--seconds", "2", "--no-questdb")) {
      assertThat(demo.awaitExit()).as(demo.output()).isEqualTo(1);
      assertThat(demo.report().get("differences"))
          .extracting(JsonNode::asText)
          .hasSize(2)
          .anyMatch(text -> text.matches("sent to detectors .* received there .*: \\d+ missing"));
      assertThat(demo.output()).contains("NOT BALANCED");
    }
  }

  /** From then on nothing goes on as packets, and all the same each one is accounted for. */
  @Test
  void shouldGoByRulesThatAreChangedMeanwhile() throws Exception {
    Path rules = Files.writeString(folder.resolve("mine.yaml"), "rules: []\n");
    try (DemoProcess demo =
        new DemoProcess(
            folder, List.of(), "--no-questdb", "--rate", "100k", "--rules", rules.toString())) {
      demo.awaitPackets();
      Files.writeString(rules, "rules: []\ndefault: {function: smaple}\n");
      demo.awaitWords("warning: new rules are refused, version 1 stays in force: " + rules + ":2:");
      Files.writeString(
          rules,
          """
          rules:
            - {name: datagrams, match: {protocol: udp}, function: aggregate}
          default: {function: drop}
          """);
      demo.awaitWords("by rule");
      demo.interrupt();
      assertThat(demo.awaitExit()).as(demo.output()).isEqualTo(STOPPED_BY_CTRL_C);
      JsonNode report = demo.report();
      assertThat(report.get("balanced").asBoolean()).as(demo.output()).isTrue();
      assertThat(count(report.get("rules"), "version")).isEqualTo(2);
      assertThat(count(report.get("rules"), "dropped")).isPositive();
      assertThat(count(report.get("functions").get("aggregate"), "in")).isPositive();
      assertThat(count(report, "consumed")).isPositive();
      demo.requireNothingLeft(3);
    }
  }

  /**
   * Then nothing is wrong with the books, but they cannot be closed; and whoever asks it something
   * waits for long.
   */
  @Test
  @Tag("slow")
  void shouldNameABrokerThatDiesWhenTheJobHasEnded() throws Exception {
    requireDeadBrokerNamed("Thread.sleep(600_000);");
  }

  /** The consumer's failure is of its making. */
  @Test
  @Tag("slow")
  void shouldNameABrokerWhoseDeathShowsElsewhere() throws Exception {
    requireDeadBrokerNamed(
        "Thread.sleep(500); if (draining) throw new IllegalStateException(\"no answer\");");
  }

  private void requireDeadBrokerNamed(String andThen) throws Exception {
    Path changed =
        ChangedClass.compile(
            folder,
            "demo/src/main/java/dev/flowstone/demo/TopicReader.java",
            "draining = true;",
            "draining = true; thread.join();"
                + " ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly); "
                + andThen);
    try (DemoProcess demo = new DemoProcess(folder, List.of(changed), "--seconds", "1")) {
      assertThat(demo.awaitExit()).as(demo.output()).isEqualTo(1);
      assertThat(demo.output())
          .contains("flowstone: the broker ended with SIGKILL")
          .doesNotContain("accounted for", "NOT BALANCED", "no answer");
      demo.requireNoRingLeft();
    }
  }

  private static void requireBalance(JsonNode report) {
    assertThat(count(report, "offered"))
        .isPositive()
        .isEqualTo(count(report, "written") + count(report, "dropped"))
        .isEqualTo(count(report, "consumed") + count(report, "lost") + count(report, "not_passed"));
    assertThat(report.get("balanced").asBoolean()).isTrue();
    assertThat(report.get("differences")).isNull();
    requireOwnCountersOfEveryStage(report);
  }

  private static void requireOwnCountersOfEveryStage(JsonNode report) {
    long packets = count(report, "offered");
    JsonNode tap = report.get("tap");
    assertThat(count(tap, "offered")).isEqualTo(packets);
    assertThat(count(tap, "received"))
        .as("what came to the emulated card")
        .isEqualTo(packets + count(tap, "filtered") + count(tap, "lost_before_tap"));
    long written = count(report, "written");
    assertThat(count(report.get("source"), "in")).isEqualTo(written);
    assertThat(count(report.get("source"), "out")).isEqualTo(written);
    requireOwnCountersOfEveryFunction(report, written);
    long passed = count(report.get("functions").get("pass"), "out");
    assertThat(count(report.get("packet_batches"), "in")).isEqualTo(passed);
    assertThat(count(report.get("packet_batches"), "out")).isEqualTo(passed);
    assertThat(count(report.get("kafka"), "messages_in"))
        .isPositive()
        .isEqualTo(count(report.get("kafka"), "messages_out"))
        .isEqualTo(count(report.get("packet_batches"), "messages"));
  }

  private static void requireOwnCountersOfEveryFunction(JsonNode report, long written) {
    JsonNode rules = report.get("rules");
    assertThat(count(rules, "in")).isEqualTo(written);
    long functions = count(rules, "dropped");
    for (String function : List.of("pass", "aggregate", "histogram", "anomaly", "user")) {
      long in = count(report.get("functions").get(function), "in");
      assertThat(in).as(function + " of " + report).isPositive();
      functions += in;
    }
    assertThat(functions).isEqualTo(written);
    JsonNode results = report.get("results");
    assertThat(count(results, "packets_in_flow_records"))
        .isEqualTo(count(report.get("functions").get("aggregate"), "out"));
    assertThat(count(results.get("questdb"), "out"))
        .isPositive()
        .isEqualTo(count(results, "messages_out"));
    assertThat(results.get("kinds").has("histogram")).isTrue();
    assertThat(results.get("kinds").has("burst")).isTrue();
  }

  private static long count(JsonNode report, String name) {
    return report.get(name).asLong();
  }
}
