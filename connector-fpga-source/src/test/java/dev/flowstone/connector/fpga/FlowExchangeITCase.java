// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketRecord;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Every packet comes to the subtask that has its flow's key group, or the job says why not. */
@Timeout(60)
class FlowExchangeITCase {
  private static final int PARALLELISM = 2;

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(PARALLELISM)
              .build());

  @TempDir private Path rings;
  private TestTap tap;

  @BeforeEach
  void begin() {
    Checked.reset();
  }

  @AfterEach
  void stop() {
    tap.close();
  }

  /** Holds each packet's key group against the subtask's. */
  static final class Checked extends RichMapFunction<PacketBlock, Integer> {
    private static final long serialVersionUID = 1L;

    static final LongAdder PACKETS = new LongAdder();
    static final LongAdder STRAYS = new LongAdder();
    static final LongAdder LOST = new LongAdder();
    static final LongAdder OPENED = new LongAdder();

    static void reset() {
      PACKETS.reset();
      STRAYS.reset();
      LOST.reset();
      OPENED.reset();
    }

    @Override
    public void open(OpenContext context) {
      OPENED.increment();
    }

    @Override
    public Integer map(PacketBlock block) {
      TaskInfo task = getRuntimeContext().getTaskInfo();
      int keyGroups = task.getMaxNumberOfParallelSubtasks();
      for (int i = 0; i < block.count(); i++) {
        int flowHash = PacketRecord.flowHash(block.segment(), block.offsetOf(i));
        int subtask =
            KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(
                keyGroups,
                task.getNumberOfParallelSubtasks(),
                KeyGroups.keyGroup(flowHash, keyGroups));
        STRAYS.add(subtask == task.getIndexOfThisSubtask() ? 0 : 1);
      }
      PACKETS.add(block.count());
      LOST.add(block.lossBefore().inRing() + block.lossBefore().beforeTap());
      return block.count();
    }
  }

  /** Waits until all subtasks are open, downstream first: the source's readers follow. */
  private static void awaitOpened(Future<?> job) throws InterruptedException {
    while (Checked.OPENED.sum() < PARALLELISM && !job.isDone()) {
      Thread.sleep(5);
    }
  }

  private void run(FlowExchange exchange, int maxParallelism) throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(PipelineOptions.MAX_PARALLELISM, maxParallelism);
    environment(exchange, configuration).execute("by flow");
  }

  private StreamExecutionEnvironment environment(
      FlowExchange exchange, Configuration configuration) {
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(PARALLELISM);
    FpgaSourceBuilder source =
        FpgaSource.builder()
            .ringDirectory(rings)
            .bounded()
            .discoveryInterval(Duration.ofMillis(50));
    exchange
        .blocksByFlow(environment, source, "rings")
        .map(new Checked())
        .sinkTo(new DiscardingSink<>());
    return environment;
  }

  private void fill(int ringCount) {
    tap = new TestTap(rings, ringCount, 14);
    tap.write(20_000);
    tap.end();
  }

  @ParameterizedTest
  @EnumSource
  void shouldBringEachFlowToItsSubtaskWhenTheRingsFit(FlowExchange exchange) throws Exception {
    fill(4);
    run(exchange, TestTap.KEY_GROUPS);
    assertThat(Checked.PACKETS.sum()).isEqualTo(20_000);
    assertThat(Checked.STRAYS.sum()).isZero();
  }

  /** Three rings for two subtasks: the second ring holds flows of both. */
  @ParameterizedTest
  @EnumSource(
      value = FlowExchange.class,
      names = {"ALWAYS", "AUTO"})
  void shouldBringEachFlowToItsSubtaskWhenTheRingsDoNotFit(FlowExchange exchange) throws Exception {
    fill(3);
    run(exchange, TestTap.KEY_GROUPS);
    assertThat(Checked.PACKETS.sum()).isEqualTo(20_000);
    assertThat(Checked.STRAYS.sum()).isZero();
  }

  /** An exchange costs a copy of each packet. */
  @ParameterizedTest
  @CsvSource({"4, 1", "3, 2"})
  void shouldSendNothingAroundWhereTheRingsFit(int ringCount, int tasks) {
    fill(ringCount);
    Configuration configuration = new Configuration();
    configuration.set(PipelineOptions.MAX_PARALLELISM, TestTap.KEY_GROUPS);
    assertThat(
            environment(FlowExchange.AUTO, configuration)
                .getStreamGraph()
                .getJobGraph()
                .getNumberOfVertices())
        .isEqualTo(tasks);
  }

  /** Whichever subtask sees its rings first. */
  @Test
  void shouldBringEachFlowToItsSubtaskWhenTheTapStartsLater() throws Exception {
    try (ExecutorService job = Executors.newSingleThreadExecutor()) {
      Future<?> done =
          job.submit(
              () -> {
                run(FlowExchange.NEVER, TestTap.KEY_GROUPS);
                return null;
              });
      awaitOpened(done);
      fill(4);
      done.get();
    }
    assertThat(Checked.PACKETS.sum()).isEqualTo(20_000);
    assertThat(Checked.STRAYS.sum()).isZero();
  }

  @Test
  void shouldNotMultiplyLosses() throws Exception {
    tap = new TestTap(rings, 4, 14);
    tap.writer().lostBeforeTap(50, TestTap.START_NS);
    tap.write(20_000);
    tap.end();
    run(FlowExchange.ALWAYS, TestTap.KEY_GROUPS);
    assertThat(Checked.LOST.sum()).isEqualTo(50);
    assertThat(Checked.PACKETS.sum()).isEqualTo(20_000);
  }

  @Test
  void shouldFailWithoutAnExchangeWhenTheParallelismDoesNotDivideTheRings() {
    fill(3);
    requireFailure(TestTap.KEY_GROUPS, "ring 1 of 3", "of 2", "FlowExchange.ALWAYS");
  }

  @Test
  void shouldFailWithoutAnExchangeWhenTheKeyGroupsDiffer() {
    fill(4);
    requireFailure(64, "filled by 128 key groups", "(64 key groups)");
  }

  private void requireFailure(int maxParallelism, String... said) {
    assertThatThrownBy(() -> run(FlowExchange.NEVER, maxParallelism))
        .satisfies(
            failure ->
                assertThat(ExceptionUtils.findThrowable(failure, IllegalStateException.class))
                    .hasValueSatisfying(cause -> assertThat(cause).hasMessageContainingAll(said)));
  }
}
