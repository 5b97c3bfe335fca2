// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.user;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockTypeInformation;
import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.RingBlocks;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Classes that only a jar has, in a job on real rings that takes checkpoints with RocksDB all the
 * time: its results are the same when it fails, and whatever else fails are packets of the class
 * that does.
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
  private static final AtomicInteger FAILURES_LEFT = new AtomicInteger();

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

  /**
   * Slow until it has failed, so that checkpoints come while there are packets, on a busy machine
   * as well; fails a few blocks after a second one.
   */
  private static final class Failing
      implements MapFunction<PacketBlock, PacketBlock>, CheckpointListener {
    private static final long serialVersionUID = 1L;
    private static final int BLOCKS_IN_BETWEEN = 3;

    private transient int checkpoints;
    private transient int blocks;

    @Override
    public PacketBlock map(PacketBlock block) throws InterruptedException {
      Thread.sleep(FAILURES_LEFT.get() > 0 ? 30 : 1);
      if (checkpoints >= 2
          && ++blocks > BLOCKS_IN_BETWEEN
          && FAILURES_LEFT.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new IllegalStateException("as the test wants it");
      }
      return block;
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) {
      checkpoints++;
    }
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
      rings.write();
      rings.write();
      rings.end();
      JobClient undisturbed = run("undisturbed", 0);
      Set<String> expected = new TreeSet<>(FOUND);
      long failed = sum(undisturbed, "packetsFailed");
      assertThat(failed).isGreaterThan(rings.packets() / 10);
      assertThat(expected.stream().mapToLong(UserFunctionsITCase::packets).sum())
          .isEqualTo(rings.packets() - failed);
      // Each of the two classes in each subtask, and one of them for each block.
      assertThat(sum(undisturbed, "functionFailures")).isGreaterThan(2 * RINGS);
      assertThat(sum(undisturbed, "resultsOut")).isEqualTo(expected.size());

      run("disturbed", FAILURES);
      assertThat(FAILURES_LEFT).as("failures that did not happen").hasValue(0);
      assertThat(FOUND).isEqualTo(expected);
    }
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

  private JobClient run(String name, int failures) throws Exception {
    FOUND.clear();
    FAILURES_LEFT.set(failures);
    Configuration configuration = new Configuration();
    configuration.set(PipelineOptions.MAX_PARALLELISM, SentRings.KEY_GROUPS);
    configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY, folder.resolve(name).toUri().toString());
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(50));
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, failures);
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(10));
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(RINGS);
    RuledBlocks ruled =
        RuledBlocks.of(
            new RingBlocks(
                FlowExchange.NEVER
                    .read(
                        environment,
                        FpgaSource.builder()
                            .ringDirectory(folder.resolve("rings"))
                            .readerName(name)
                            .blockRecords(256)
                            .bounded(),
                        "rings")
                    .packets()
                    .map(new Failing())
                    .returns(PacketBlockTypeInformation.INSTANCE),
                true),
            // Nobody asks whether the classes are there: they may be gone by now.
            LiveRules.fixed(new RulesText(1, "test", RULES), _ -> {}),
            "rules");
    UserFunctions.of(ruled.of(FunctionKind.USER), jars, "user functions")
        .map(new Found())
        .returns(Types.STRING)
        .sinkTo(new DiscardingSink<>());
    JobClient job = environment.executeAsync(name);
    job.getJobExecutionResult().get(60, TimeUnit.SECONDS);
    return job;
  }
}
