// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static dev.flowstone.endtoend.DemoBalance.count;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flowstone.testbed.programs.ChangedClass;
import dev.flowstone.testbed.programs.DemoProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reports of demos that end in many ways, and of those in which a packet is missing. */
@Tag("slow")
class BalanceITCase {
  private static final int STOPPED_BY_CTRL_C = 130;

  /**
   * Every function gets packets within 0.1 s of traffic, but the demo's clock goes on where the
   * machine stands still.
   */
  private static final String LONG_ENOUGH = "5";

  @TempDir private Path folder;

  @Test
  void shouldEndByItselfWhenItsSecondsAreOver() throws Exception {
    try (DemoProcess demo =
        new DemoProcess(folder, List.of(), "--seconds", LONG_ENOUGH, "--rate", "200k")) {
      assertThat(demo.awaitExit()).as(demo.output()).isZero();
      new DemoBalance(demo.report()).require();
      demo.requireNothingLeft();
    }
  }

  /** Parts of the demo in the order in which they become visible. */
  enum Start {
    NOTHING,
    TAP,
    BROKER,
    QUESTDB,
    RINGS,
    JOB;

    private void await(DemoProcess demo) throws Exception {
      switch (this) {
        case NOTHING -> demo.awaitBegin();
        case TAP -> demo.awaitChild("TapCommand");
        case BROKER -> demo.awaitChild("KafkaBroker");
        case QUESTDB -> demo.awaitChild("io.questdb.ServerMain");
        case RINGS -> demo.awaitRings();
        case JOB -> demo.awaitTraffic();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldCloseItsBooksWhenStoppedWhileItStarts(Start start) throws Exception {
    try (DemoProcess demo = new DemoProcess(folder, List.of(), "--rate", "20k")) {
      start.await(demo);
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

  /** BalanceTest makes each counter differ, and takes a second. */
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
  void shouldNameABrokerThatDiesWhenTheJobHasEnded() throws Exception {
    requireDeadBrokerNamed("Thread.sleep(600_000);");
  }

  /** The consumer's failure is of its making. */
  @Test
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
}
