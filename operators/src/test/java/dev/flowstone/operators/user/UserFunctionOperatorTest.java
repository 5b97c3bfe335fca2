// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.blocks.InChainTypeInformation;
import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.operators.SentPacket;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.results.JsonResult;
import dev.flowstone.results.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.MockOutput;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Classes that are compiled here and known to nobody else, from a jar in a folder. */
@SuppressWarnings("try") // A harness throws at its end whatever its operator does.
class UserFunctionOperatorTest {
  private static final String COUNTING =
      """
      package example;

      import dev.flowstone.blocks.PacketBlock;
      import dev.flowstone.operators.user.*;
      import dev.flowstone.results.*;
      import java.nio.ByteBuffer;
      import java.util.List;

      public final class Counting implements PacketFunction {
        private PacketFunctionContext context;
        private long packets;

        public void open(PacketFunctionContext opened) {
          context = opened;
        }

        public void process(PacketBlock block) {
          packets += block.count();
        }

        public void advance(long earliestNs) {
          context.emit(new Count(context.rule(), context.options().get("label"), packets, earliestNs));
        }

        public byte[] snapshot() {
          return ByteBuffer.allocate(8).putLong(packets).array();
        }

        public void restore(List<byte[]> parts) {
          parts.forEach(part -> packets += ByteBuffer.wrap(part).getLong());
        }

        public record Count(RuleTag rule, String label, long packets, long timeNs) implements Result {
          public String kind() {
            return "count";
          }

          public void describe(ResultFields fields) {
            fields.key("label", label);
            fields.number("packets", packets);
          }
        }
      }
      """;

  /** Emits when it is closed as well. */
  private static final String PARTING =
      COUNTING
          .replace("class Counting", "class Parting")
          .replace(
              "public byte[] snapshot",
              "public void close() { advance(0); } public byte[] snapshot");

  private static final String THROWING =
      """
      package example;

      import dev.flowstone.blocks.PacketBlock;
      import dev.flowstone.operators.user.*;

      public final class Throwing implements PacketFunction {
        public void open(PacketFunctionContext opened) {}

        public void process(PacketBlock block) {
          throw new IllegalStateException("not today");
        }
      }
      """;
  private static final String SHY =
      """
      package example;

      import dev.flowstone.blocks.PacketBlock;
      import dev.flowstone.operators.user.*;
      import dev.flowstone.results.*;
      import java.util.List;

      /** Cannot begin while a property says so; tells at once what it knows. */
      public final class Shy implements PacketFunction {
        private PacketFunctionContext context;
        private byte known;

        public void open(PacketFunctionContext opened) {
          context = opened;
          refuse("open");
        }

        private static void refuse(String what) {
          if (what.equals(System.getProperty("example.shy"))) {
            throw new IllegalStateException("nobody home");
          }
        }

        public void process(PacketBlock block) {
          known += block.count();
        }

        public void advance(long earliestNs) {
          context.emit(new Told(context.rule(), context.options().get("kind"), known, earliestNs));
        }

        public byte[] snapshot() {
          refuse("snapshot");
          return "nothing".equals(System.getProperty("example.shy")) ? null : new byte[] {known};
        }

        public void restore(List<byte[]> parts) {
          refuse("restore");
          parts.forEach(part -> known += part[0]);
        }

        public record Told(RuleTag rule, String kind, long packets, long timeNs) implements Result {
          public void describe(ResultFields fields) {
            fields.number("packets", packets);
          }
        }
      }
      """;
  private static final String OTHER = "package example; public final class Other {}";

  private static final String RULES =
      """
      rules:
        - name: web
          match: {destination_port: 80}
          function: {user: {class: example.Counting, options: {label: w}}}
        - name: bad
          match: {destination_port: 81}
          function: {user: {class: example.Throwing}}
        - name: none
          match: {destination_port: 82}
          function: {user: {class: example.None}}
      default:
        function: {user: {class: example.Counting, options: {label: rest}}}
      """;

  @TempDir private static Path folder;
  private static Path jars;

  private final RulesInForce rules = new RulesText(1, "test", RULES).read();

  /** The class of docs/own-function.md. */
  private static String documented() throws IOException {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("docs/own-function.md"))) {
      root = root.getParent();
    }
    String page = Files.readString(root.resolve("docs/own-function.md"));
    String code = page.substring(page.indexOf("```java\n") + "```java\n".length());
    return code.substring(0, code.indexOf("```"));
  }

  @BeforeAll
  static void compile() throws IOException {
    jars =
        CompiledFunctions.jarIn(
            folder,
            Map.of(
                "Counting",
                COUNTING,
                "Parting",
                PARTING,
                "Throwing",
                THROWING,
                "Shy",
                SHY,
                "Other",
                OTHER,
                "LowTtl",
                documented()));
  }

  private OneInputStreamOperatorTestHarness<RuledBlock, Result> harness() throws Exception {
    return harness(1, 0);
  }

  private OneInputStreamOperatorTestHarness<RuledBlock, Result> harness(
      int parallelism, int subtask) throws Exception {
    var harness =
        new OneInputStreamOperatorTestHarness<>(
            new UserFunctionOperator(jars.toFile()), parallelism, parallelism, subtask);
    harness.getExecutionConfig().enableObjectReuse();
    harness.setup(new InChainTypeInformation<>(Result.class).createSerializer(null));
    return harness;
  }

  private RuledBlock block(int... ports) {
    List<SentPacket> packets = new ArrayList<>();
    short[] ruleOfPacket = new short[ports.length];
    for (int i = 0; i < ports.length; i++) {
      packets.add(new SentPacket(FlowTuple.ipv4(1, 2, 3, ports[i], 17), 1_000_000L + i, 100, 0));
      ruleOfPacket[i] = (short) Math.clamp(ports[i] - 80, 0, 3);
    }
    PacketBlock block = SentPacket.block(packets);
    return RuledBlock.of(block, rules, ruleOfPacket);
  }

  /** As the operator of rules says which are in force. */
  private static RuledBlock announced(RulesInForce told) {
    PacketBlockOrigin nowhere = new PacketBlockOrigin(0, 0, 0, 0, true);
    return RuledBlock.of(PacketBlock.empty(nowhere, PacketLoss.NONE), told, 0);
  }

  private static List<String> results(
      OneInputStreamOperatorTestHarness<RuledBlock, Result> harness) {
    return harness.extractOutputValues().stream().map(JsonResult::of).sorted().toList();
  }

  @Test
  void shouldGiveEachRulesPacketsToItsFunctionAndCountThoseOfOneThatFails() throws Exception {
    try (var harness = harness()) {
      harness.open();
      harness.processElement(new StreamRecord<>(block(80, 443, 80, 81, 82, 80)));
      harness.processElement(new StreamRecord<>(block(443, 81)));
      harness.processWatermark(9);

      assertThat(results(harness))
          .containsExactly(
              "{\"kind\":\"count\",\"time_ns\":10000000,\"rule\":\"default\",\"label\":\"rest\",\"packets\":2}",
              "{\"kind\":\"count\",\"time_ns\":10000000,\"rule\":\"web\",\"label\":\"w\",\"packets\":3}");
      UserFunctionOperator operator = (UserFunctionOperator) harness.getOneInputOperator();
      assertThat(operator.packetsFailed()).isEqualTo(3);
      assertThat(operator.functionFailures()).isEqualTo(3);
    }
  }

  @Test
  void shouldGoOnWithItsStateAfterAFailure() throws Exception {
    OperatorSubtaskState state;
    try (var harness = harness()) {
      harness.open();
      harness.processElement(new StreamRecord<>(block(80, 80, 443)));
      state = harness.snapshot(1, 1);
      harness.processElement(new StreamRecord<>(block(80, 80, 443)));
    }
    // A checkpoint before the first packet must keep it, too.
    try (var harness = harness()) {
      harness.initializeState(state);
      harness.open();
      state = harness.snapshot(2, 2);
    }
    try (var harness = harness()) {
      harness.initializeState(state);
      harness.open();
      harness.processElement(new StreamRecord<>(block(80, 443)));
      harness.processWatermark(9);

      assertThat(results(harness)).hasSize(2);
      assertThat(results(harness).getLast()).endsWith("\"packets\":3}");
      assertThat(results(harness).getFirst()).endsWith("\"packets\":2}");
    }
  }

  /** As a job does that goes on from its savepoint when its rings have ended. */
  @Test
  void shouldGoOnWithItsStateWherePacketsComeNoMore() throws Exception {
    OperatorSubtaskState state;
    try (var harness = harness()) {
      harness.open();
      harness.processElement(new StreamRecord<>(block(80, 80, 443)));
      state = harness.snapshot(1, 1);
    }
    try (var harness = harness()) {
      harness.initializeState(state);
      harness.open();
      harness.processElement(new StreamRecord<>(announced(rules)));
      harness.processWatermark(9);

      assertThat(results(harness)).hasSize(2);
      assertThat(results(harness).getLast()).endsWith("\"packets\":2}");
    }
  }

  /** As where a database is away that it asks. */
  @ParameterizedTest
  @ValueSource(strings = {"open", "restore"})
  void shouldKeepTheStateOfOneThatCannotBegin(String what) throws Exception {
    RulesInForce shy = rulesWith("example.Shy, options: {kind: shy}");
    PacketBlock packets = block(80, 81).packets();
    OperatorSubtaskState state;
    try (var harness = harness()) {
      harness.open();
      harness.processElement(new StreamRecord<>(RuledBlock.of(packets, shy, 0)));
      state = harness.snapshot(1, 1);
    }
    System.setProperty("example.shy", what);
    try (var harness = harness()) {
      harness.initializeState(state);
      harness.open();
      harness.processElement(new StreamRecord<>(RuledBlock.of(packets, shy, 0)));
      harness.processWatermark(9);
      state = harness.snapshot(2, 2);

      assertThat(results(harness)).isEmpty();
      UserFunctionOperator operator = (UserFunctionOperator) harness.getOneInputOperator();
      assertThat(operator.packetsFailed()).isEqualTo(2);
      assertThat(operator.functionFailures()).isOne();
    } finally {
      System.clearProperty("example.shy");
    }
    try (var harness = harness()) {
      harness.initializeState(state);
      harness.open();
      harness.processElement(new StreamRecord<>(announced(shy)));
      harness.processWatermark(9);

      assertThat(results(harness))
          .containsExactly(
              "{\"kind\":\"shy\",\"time_ns\":10000000,\"rule\":\"one\",\"packets\":2}");
    }
  }

  /** The checkpoints of all others go on. */
  @ParameterizedTest
  @ValueSource(strings = {"snapshot", "nothing"})
  void shouldKeepWhatOneSaidLastThatCannotSayWhatItKnows(String what) throws Exception {
    RulesInForce shy = rulesWith("example.Shy, options: {kind: shy}");
    PacketBlock packets = block(80, 81).packets();
    OperatorSubtaskState state;
    try (var harness = harness()) {
      harness.open();
      harness.processElement(new StreamRecord<>(RuledBlock.of(packets, shy, 0)));
      harness.snapshot(1, 1);
      harness.processElement(new StreamRecord<>(RuledBlock.of(packets, shy, 0)));
      System.setProperty("example.shy", what);
      harness.snapshot(2, 2);
      UserFunctionOperator operator = (UserFunctionOperator) harness.getOneInputOperator();
      assertThat(operator.packetsFailed()).as("since it spoke").isEqualTo(2);
      System.clearProperty("example.shy");
      harness.processElement(new StreamRecord<>(RuledBlock.of(packets, shy, 0)));
      harness.processWatermark(9);
      state = harness.snapshot(3, 3);

      assertThat(operator.packetsFailed()).isEqualTo(4);
      assertThat(operator.functionFailures()).isOne();
      assertThat(results(harness)).isEmpty();
    } finally {
      System.clearProperty("example.shy");
    }
    try (var harness = harness()) {
      harness.initializeState(state);
      harness.open();
      harness.processElement(new StreamRecord<>(announced(shy)));
      harness.processWatermark(9);

      assertThat(results(harness)).hasSize(1);
      assertThat(results(harness).getFirst()).endsWith("\"packets\":2}");
    }
  }

  /**
   * The output fails as a sink does whose buffer is full. The close then emits as well, and must
   * not throw: Flink would terminate the TaskManager.
   */
  @Test
  void shouldFailWhereAResultCannotBeSent() throws Exception {
    try (var harness =
        new OneInputStreamOperatorTestHarness<>(new UserFunctionOperator(jars.toFile()), 1, 1, 0)) {
      harness.getExecutionConfig().enableObjectReuse();
      harness.setOutputCreator(
          _ ->
              new MockOutput<>(new ArrayList<>()) {
                @Override
                public void collect(StreamRecord<Result> result) {
                  throw new IllegalStateException("the buffer is full");
                }
              });
      harness.setup(new InChainTypeInformation<>(Result.class).createSerializer(null));
      harness.open();
      harness.processElement(
          new StreamRecord<>(RuledBlock.of(block(80).packets(), rulesWith("example.Parting"), 0)));

      assertThatThrownBy(() -> harness.processWatermark(9))
          .hasMessageContaining("a result of example.Parting could not be sent")
          .hasRootCauseMessage("the buffer is full");
      UserFunctionOperator operator = (UserFunctionOperator) harness.getOneInputOperator();
      assertThat(operator.functionFailures()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"alert", "flow_record", "histogram", "stage", "syn_window", "My Kind"})
  void shouldTellNothingUnderANameThatIsTakenOrNone(String kind) throws Exception {
    RulesInForce shy = rulesWith("example.Shy, options: {kind: \"" + kind + "\"}");
    try (var harness = harness()) {
      harness.open();
      harness.processElement(new StreamRecord<>(announced(shy)));
      harness.processElement(new StreamRecord<>(RuledBlock.of(block(80).packets(), shy, 0)));
      harness.processWatermark(9);

      assertThat(results(harness)).isEmpty();
      UserFunctionOperator operator = (UserFunctionOperator) harness.getOneInputOperator();
      assertThat(operator.functionFailures()).isOne();
    }
  }

  @Test
  void shouldRunTheDocumentedExample() throws Exception {
    RulesInForce documentedRules =
        new RulesText(
                1,
                "test",
                "rules:\n  - {name: traceroutes, function: {user: {class: org.example.LowTtl,"
                    + " options: {below: \"3\"}}}}")
            .read();
    try (var harness = harness(2, 1)) {
      harness.open();
      List<SentPacket> packets = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        packets.add(new SentPacket(FlowTuple.ipv4(1, 2, 3, 4, 17), 1_000_000_000L + i, 100, 0));
      }
      harness.processElement(
          new StreamRecord<>(RuledBlock.of(SentPacket.block(packets), documentedRules, 0)));
      harness.processWatermark(1_999);

      assertThat(results(harness))
          .containsExactly(
              "{\"kind\":\"low_ttl\",\"time_ns\":2000000000,\"rule\":\"traceroutes\",\"subtask\":1,\"packets\":3}");
    }
  }

  @Test
  void shouldFindAClassOfAJarThatCameLater() throws Exception {
    Path later = jars.resolve("later.jar");
    Path other =
        CompiledFunctions.jarIn(
            folder.resolve("later"),
            Map.of("Later", COUNTING.replace("class Counting", "class Later")));
    try (var harness = harness()) {
      harness.open();
      harness.processElement(new StreamRecord<>(block(80)));
      RulesInForce next = rulesWith("example.Later");
      assertRefused("example.Later", "has a class example.Later");
      Files.copy(other.resolve("example.jar"), later);
      UserFunctions.check(jars).require(next);
      PacketBlock packets = block(80, 81).packets();
      harness.processElement(new StreamRecord<>(RuledBlock.of(packets, next, 0)));
      harness.processWatermark(9);
      assertThat(results(harness))
          .containsExactly(
              "{\"kind\":\"count\",\"time_ns\":10000000,\"rule\":\"one\",\"label\":null,\"packets\":2}");
    } finally {
      Files.deleteIfExists(later);
    }
  }

  @Test
  void shouldRefuseRulesWhoseClassesCannotBeMade() {
    assertRefused("example.None", "no jar in " + jars + " has a class example.None");
    assertRefused("example.Other", "example.Other is no " + PacketFunction.class.getName());
    UserFunctions.check(jars).require(rulesWith("example.Counting"));
    assertThatThrownBy(() -> UserFunctions.none().require(rulesWith("example.Counting")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rule one names a class")
        .hasMessageContaining("--functions");
    assertThatThrownBy(() -> UserFunctions.check(folder.resolve("empty")))
        .hasMessageContaining("--functions: there is no folder " + folder.resolve("empty"));
  }

  private static void assertRefused(String className, String reason) {
    assertThatThrownBy(() -> UserFunctions.check(jars).require(rulesWith(className)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rule one: ")
        .hasMessageContaining(reason);
  }

  private static RulesInForce rulesWith(String className) {
    return new RulesText(
            1, "test", "rules:\n  - {name: one, function: {user: {class: " + className + "}}}")
        .read();
  }
}
