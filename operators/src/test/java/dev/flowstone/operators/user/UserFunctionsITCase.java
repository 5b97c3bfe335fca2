// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.user;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.RingBlocks;
import dev.flowstone.harness.failure.FailureInjection;
import dev.flowstone.harness.failure.FailureInjection.Place;
import dev.flowstone.operators.SentRings;
import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.operators.ruled.LiveRules;
import dev.flowstone.operators.ruled.RuledBlocks;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.results.JsonResult;
import dev.flowstone.results.Result;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Custom functions from a jar in a job on real rings that takes checkpoints in RocksDB. The results
 * are the same when the job fails, and a function that fails affects only its own packets.
 */
@Timeout(120)
class UserFunctionsITCase {
  private static final int RINGS = 2;
  private static final int FAILURES = 2;

  /** Packets of each millisecond and ring, and a sum that says which. */
  private static final String EACH_MILLISECOND =
      """
      package example;

      import dev.flowstone.blocks.PacketBlock;
      import dev.flowstone.operators.user.*;
      import dev.flowstone.results.*;
      import java.nio.ByteBuffer;
      import java.util.*;

      public final class EachMillisecond implements PacketFunction {
        record Slot(long ms, long stream) implements Comparable<Slot> {
          public int compareTo(Slot other) {
            int byTime = Long.compare(ms, other.ms);
            return byTime != 0 ? byTime : Long.compare(stream, other.stream);
          }
        }

        private final TreeMap<Slot, long[]> open = new TreeMap<>();
        private PacketFunctionContext context;

        public void open(PacketFunctionContext opened) {
          context = opened;
        }

        public void process(PacketBlock block) {
          for (int i = 0; i < block.count(); i++) {
            add(block.timeNs(i) / 1_000_000, block.stream(), 1, block.positionOf(i));
          }
        }

        private void add(long ms, long stream, long packets, long positions) {
          long[] sum = open.computeIfAbsent(new Slot(ms, stream), slot -> new long[2]);
          sum[0] += packets;
          sum[1] += positions;
        }

        public void advance(long earliestNs) {
          var over = open.headMap(new Slot(earliestNs / 1_000_000, Long.MIN_VALUE));
          over.forEach(
              (slot, sum) ->
                  context.emit(
                      new Count(
                          context.rule(),
                          context.options().get("label") + "/" + slot.stream(),
                          sum[0],
                          sum[1],
                          slot.ms() * 1_000_000)));
          over.clear();
        }

        public byte[] snapshot() {
          ByteBuffer bytes = ByteBuffer.allocate(32 * open.size());
          open.forEach(
              (slot, sum) ->
                  bytes.putLong(slot.ms()).putLong(slot.stream()).putLong(sum[0]).putLong(sum[1]));
          return bytes.array();
        }

        public void restore(List<byte[]> parts) {
          for (byte[] part : parts) {
            for (ByteBuffer bytes = ByteBuffer.wrap(part); bytes.hasRemaining(); ) {
              add(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
            }
          }
        }

        public record Count(RuleTag rule, String label, long packets, long positions, long timeNs)
            implements Result {
          public String kind() {
            return "count";
          }

          public void describe(ResultFields fields) {
            fields.key("label", label);
            fields.number("packets", packets);
            fields.number("positions", positions);
          }
        }
      }
      """;

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

  private static final String RULES =
      """
      rules:
        - name: low-ports
          match: {source_port: 0-99}
          function: {user: {class: example.EachMillisecond, options: {label: low}}}
        - name: throws
          match: {source_port: 100-149}
          function: {user: {class: example.Throwing}}
        - name: missing
          match: {source_port: 150-169}
          function: {user: {class: example.Missing}}
      default:
        function: {user: {class: example.EachMillisecond, options: {label: rest}}}
      """;

  private static final InMemoryReporter METRICS = InMemoryReporter.createWithRetainedMetrics();
  private static final Set<String> FOUND = new ConcurrentSkipListSet<>();

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setConfiguration(METRICS.addToConfiguration(new Configuration()))
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(RINGS)
              .build());

  @TempDir private static Path compiled;
  private static Path jars;
  @TempDir private Path folder;

  @BeforeAll
  static void compile() throws Exception {
    jars =
        CompiledFunctions.jarIn(
            compiled, Map.of("EachMillisecond", EACH_MILLISECOND, "Throwing", THROWING));
  }

  private static final class Found implements MapFunction<Result, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public String map(Result result) {
      String json = JsonResult.of(result);
      FOUND.add(json);
      return json;
    }
  }

  @Test
  void shouldSayTheSameAfterFailures() throws Exception {
    try (SentRings rings = new SentRings(folder.resolve("rings"))) {
      Set<String> disturbed = runAndFail(rings);

      JobClient undisturbed = start("undisturbed", RingBlocks::packets);
      finish(undisturbed);
      assertThat(FOUND).isEqualTo(disturbed);
      long failed = sum(undisturbed, "packetsFailed");
      assertThat(failed).isGreaterThan(rings.packets() / 10);
      assertThat(FOUND.stream().mapToLong(UserFunctionsITCase::packets).sum())
          .isEqualTo(rings.packets() - failed);
      // Each of the two classes fails in each subtask, and one of them with each block.
      assertThat(sum(undisturbed, "functionFailures")).isGreaterThan(2 * RINGS);
      assertThat(sum(undisturbed, "resultsOut")).isEqualTo(FOUND.size());
    }
  }

  /** Returns the results of a job that fails while the rings are filled. */
  private Set<String> runAndFail(SentRings rings) throws Exception {
    try (FailureInjection failures = new FailureInjection()) {
      JobClient job = start("disturbed", read -> failures.in(read.packets()));
      for (int failure = 0; failure < FAILURES; failure++) {
        rings.write();
        failures.failOnce(Place.PROCESSING, () -> rings.write(256));
      }
      rings.end();
      finish(job);
    }
    Set<String> found = new TreeSet<>(FOUND);
    FOUND.clear();
    return found;
  }

  private static void finish(JobClient job) throws Exception {
    job.getJobExecutionResult().get(60, TimeUnit.SECONDS);
  }

  private static long packets(String json) {
    Matcher packets = Pattern.compile("\"packets\":(\\d+)").matcher(json);
    assertThat(packets.find()).isTrue();
    return Long.parseLong(packets.group(1));
  }

  private static long sum(JobClient job, String counter) {
    return METRICS.findMetrics(job.getJobID(), counter).values().stream()
        .mapToLong(metric -> ((Counter) metric).getCount())
        .sum();
  }

  private JobClient start(String name, Function<RingBlocks, DataStream<PacketBlock>> blocks)
      throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(PipelineOptions.MAX_PARALLELISM, SentRings.KEY_GROUPS);
    configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY, folder.resolve(name).toUri().toString());
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(50));
    FailureInjection.allowRestarts(configuration, Duration.ofMillis(10));
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(RINGS);
    RingBlocks read =
        FlowExchange.NEVER.read(
            environment,
            FpgaSource.builder()
                .ringDirectory(folder.resolve("rings"))
                .readerName(name)
                .blockRecords(256)
                .bounded(),
            "rings");
    RuledBlocks ruled =
        RuledBlocks.of(
            new RingBlocks(blocks.apply(read), true),
            // The check accepts rules whose classes are missing.
            LiveRules.fixed(new RulesText(1, "test", RULES), _ -> {}),
            "rules");
    UserFunctions.of(ruled.of(FunctionKind.USER), jars, "user functions")
        .map(new Found())
        .returns(Types.STRING)
        .sinkTo(new DiscardingSink<>());
    return environment.executeAsync(name);
  }
}
