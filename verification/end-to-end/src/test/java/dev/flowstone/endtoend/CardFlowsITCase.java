// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.testbed.rings.EmulatedCardsTap;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A card deals packets to its rings as Flink deals keys to subtasks, so none need go elsewhere. */
@Timeout(120)
class CardFlowsITCase {
  private static final long PACKETS = 50_000;
  private static final String FEED =
      "synthetic:preset=backbone,seed=7,unlimited,packets=" + PACKETS;
  private static final int KEY_GROUPS = 128;
  private static final int OTHER_KEY_GROUPS = 64;

  @TempDir private static Path folder;
  private static ScratchFolder rings;

  /** Two cards of one tap, and one of another tap that was told of another maximum parallelism. */
  @BeforeAll
  static void fill() throws Exception {
    rings = ScratchFolder.inMemory("card-flows");
    EmulatedCardsTap.fill(folder, rings.path(), 2, FEED);
    EmulatedCardsTap.fill(folder, other(), 1, FEED, "--max-parallelism", "" + OTHER_KEY_GROUPS);
  }

  @AfterAll
  static void delete() {
    rings.close();
  }

  private static Path card(int number) {
    return rings.path().resolve("card-" + number);
  }

  private static Path other() {
    return rings.path().resolve("other");
  }

  /** Counts the packets that come to a subtask, and those of them whose key is another's. */
  private static final class Counted extends RichMapFunction<PacketBlock, Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public Integer map(PacketBlock block) {
      TaskInfo task = getRuntimeContext().getTaskInfo();
      int keyGroups = task.getMaxNumberOfParallelSubtasks();
      long strays = 0;
      for (int i = 0; i < block.count(); i++) {
        int flowHash = PacketRecord.flowHash(block.segment(), block.offsetOf(i));
        int owner =
            KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(
                keyGroups,
                task.getNumberOfParallelSubtasks(),
                KeyGroups.keyGroup(flowHash, keyGroups));
        strays += owner == task.getIndexOfThisSubtask() ? 0 : 1;
      }
      getRuntimeContext().getLongCounter("packets").add(block.count());
      getRuntimeContext().getLongCounter("strays").add(strays);
      return block.count();
    }
  }

  private static StreamExecutionEnvironment job(FlowExchange exchange, Path... folders) {
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(EmulatedCardsTap.RINGS);
    environment.setMaxParallelism(KEY_GROUPS);
    FpgaSourceBuilder source = FpgaSource.builder().bounded();
    List.of(folders).forEach(source::ringDirectory);
    exchange
        .blocksByFlow(environment, source, "rings")
        .map(new Counted())
        .sinkTo(new DiscardingSink<>());
    return environment;
  }

  private static int tasks(StreamExecutionEnvironment job) {
    return job.getStreamGraph(false).getJobGraph().getNumberOfVertices();
  }

  private static void requireEachWhereItBelongs(StreamExecutionEnvironment job, long packets)
      throws Exception {
    JobExecutionResult result = job.execute("card flows");
    assertThat(result.<Long>getAccumulatorResult("packets")).isEqualTo(packets);
    assertThat(result.<Long>getAccumulatorResult("strays")).isZero();
  }

  @Test
  void shouldHaveEachFlowWhereItsSubtaskReads() throws Exception {
    StreamExecutionEnvironment job = job(FlowExchange.AUTO, card(0), card(1));
    assertThat(tasks(job)).as("one, since nothing is sent around").isEqualTo(1);
    requireEachWhereItBelongs(job, 2 * PACKETS);
  }

  @Test
  void shouldSendFlowsOfACardWithOtherKeyGroupsWhereTheyBelong() throws Exception {
    StreamExecutionEnvironment job = job(FlowExchange.AUTO, card(0), other());
    assertThat(tasks(job)).isEqualTo(2);
    requireEachWhereItBelongs(job, 2 * PACKETS);
  }

  @Test
  void shouldFailWithoutAnExchangeWhereACardHasOtherKeyGroups() {
    assertThatThrownBy(() -> job(FlowExchange.NEVER, card(0), other()).execute("refused"))
        .satisfies(
            failure ->
                assertThat(ExceptionUtils.findThrowable(failure, IllegalStateException.class))
                    .hasValueSatisfying(
                        cause ->
                            assertThat(cause)
                                .hasMessageContainingAll(
                                    "filled by " + OTHER_KEY_GROUPS + " key groups",
                                    "(" + KEY_GROUPS + " key groups)",
                                    "--max-parallelism")));
  }
}
