// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.InChainTypeInformation;
import dev.flowstone.results.Result;
import dev.flowstone.results.ResultFields;
import dev.flowstone.results.RuleTag;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.net.URI;
import java.nio.file.Path;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An operator whose QuestDB is away: nothing listens at its port. */
@SuppressWarnings("try") // A harness throws at its end whatever its operator does.
class QuestDbOperatorTest {
  private static final int LIMIT_BYTES = 32 << 20;
  private static final int TEXT_LENGTH = 1 << 14;

  /** The chunk that is being filled, and what the JVM keeps. A second copy would be more. */
  private static final long OTHER_BYTES = 10 << 20;

  private static final int CHECKPOINT_INTERVAL_SECONDS = 10;
  private static final int CHECKPOINTS = 600 / CHECKPOINT_INTERVAL_SECONDS;
  private static final int RESULTS_OF_CHECKPOINT = 120;

  @TempDir private Path checkpoints;
  private long results;

  private record Long16K(long number) implements Result, Serializable {
    private static final String TEXT = "x".repeat(TEXT_LENGTH);

    @Override
    public String kind() {
      return "long";
    }

    @Override
    public RuleTag rule() {
      return RuleTag.of("any");
    }

    @Override
    public long timeNs() {
      return 1_700_000_000_000_000_000L + number;
    }

    @Override
    public void describe(ResultFields fields) {
      fields.text("text", TEXT);
    }
  }

  private OneInputStreamOperatorTestHarness<Long16K, Void> harness() throws Exception {
    QuestDbDelivery away =
        new QuestDbDelivery(
            URI.create("http://127.0.0.1:1"), "", LIMIT_BYTES, WhenFull.DROP, "job");
    OneInputStreamOperatorTestHarness<Long16K, Void> harness =
        new OneInputStreamOperatorTestHarness<>(
            new QuestDbOperatorFactory<Long16K>(away, true),
            new InChainTypeInformation<>(Long16K.class).createSerializer(null));
    harness.getExecutionConfig().enableObjectReuse();
    harness.setCheckpointStorage(new FileSystemCheckpointStorage(checkpoints.toUri()));
    return harness;
  }

  private static long heapBytes() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    memory.gc();
    return memory.getHeapMemoryUsage().getUsed();
  }

  private static long resultsWaiting(OneInputStreamOperatorTestHarness<Long16K, Void> harness) {
    return ((QuestDbOperator<Long16K>) harness.getOneInputOperator()).resultsWaiting();
  }

  private OperatorSubtaskState checkpoint(
      OneInputStreamOperatorTestHarness<Long16K, Void> harness, int number) throws Exception {
    for (int i = 0; i < RESULTS_OF_CHECKPOINT; i++) {
      harness.processElement(new StreamRecord<>(new Long16K(results++)));
    }
    OperatorSubtaskState state = harness.snapshot(number, number);
    harness.notifyOfCompletedCheckpoint(number);
    return state;
  }

  /** Flink keeps managed state in memory from one checkpoint to the next, and copies it. */
  @Test
  void keepsWhatWaitsInTheStreamOfACheckpointAlone() throws Exception {
    OperatorSubtaskState state;
    try (var harness = harness()) {
      harness.open();
      state = checkpoint(harness, 1);
    }
    assertThat(state.getManagedOperatorState())
        .flatExtracting(handle -> handle.getStateNameToPartitionOffsets().values())
        .allSatisfy(managed -> assertThat(managed.getOffsets()).isEmpty());
    assertThat(state.getRawOperatorState()).hasSize(1);
    try (var restored = harness()) {
      restored.initializeState(state);
      assertThat(resultsWaiting(restored)).isEqualTo(results);
    }
  }

  @Tag("slow")
  @Test
  void holdsItsMemoryAndNoMoreWhileQuestDbIsAwayForTenMinutes() throws Exception {
    try (var harness = harness()) {
      harness.open();
      checkpoint(harness, 1);
      long beforeBytes = heapBytes();
      for (int number = 2; number <= CHECKPOINTS; number++) {
        checkpoint(harness, number);
        if (number % 12 == 0) {
          assertThat(heapBytes() - beforeBytes).isLessThan(LIMIT_BYTES / 2 + OTHER_BYTES);
        }
      }
      assertThat(resultsWaiting(harness))
          .isBetween(LIMIT_BYTES / 2L / TEXT_LENGTH * 9 / 10, results / 2);
    }
  }
}
