// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.jobs.inspect.count.BlockCounter;
import dev.flowstone.jobs.inspect.count.InspectException;
import dev.flowstone.model.PacketLoss;
import org.apache.flink.api.common.JobID;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

@SuppressWarnings("try") // A harness throws at its end whatever its operator does.
class CounterFailuresTest {
  private static final String REASON = "too many flows";

  private record FailsWithABlock() implements BlockCounter<Long> {
    @Override
    public void add(PacketBlock block) {
      throw new InspectException(REASON);
    }

    @Override
    public Long found() {
      return 0L;
    }
  }

  private record FailsAtTheEnd() implements BlockCounter<Long> {
    @Override
    public void add(PacketBlock block) {}

    @Override
    public Long found() {
      throw new InspectException(REASON);
    }
  }

  @Test
  void shouldKeepTheReasonOfACounterThatFailsWithABlock() throws Exception {
    PacketBlock block = PacketBlock.empty(new PacketBlockOrigin(0, 0, 0, 0, true), PacketLoss.NONE);
    try (var harness =
        new OneInputStreamOperatorTestHarness<>(new CountOperator<>(FailsWithABlock::new))) {
      harness.open();
      assertThatThrownBy(() -> harness.processElement(new StreamRecord<>(block)))
          .hasMessage(REASON);
      assertNoted(harness.getEnvironment().getJobID());
    }
  }

  @Test
  void shouldKeepTheReasonOfACounterThatFailsAtTheEnd() throws Exception {
    var harness = new OneInputStreamOperatorTestHarness<>(new CountOperator<>(FailsAtTheEnd::new));
    harness.open();
    assertThatThrownBy(harness::close).hasMessage(REASON);
    assertNoted(harness.getEnvironment().getJobID());
  }

  private static void assertNoted(JobID job) {
    assertThat(CounterFailures.take(job))
        .hasValueSatisfying(noted -> assertThat(noted).hasMessage(REASON));
  }

  @Test
  void shouldTellItInPlaceOfWhatFlinkSaysOfTheJob() {
    JobID job = new JobID();
    IllegalStateException ofFlink = new IllegalStateException("Task is not running");
    CounterFailures.note(job, new InspectException(REASON));

    assertThatThrownBy(() -> InspectFlink.resultOf(job, null, ofFlink)).hasMessage(REASON);
    assertThatThrownBy(() -> InspectFlink.resultOf(job, null, ofFlink))
        .isInstanceOf(InspectException.class)
        .hasMessageContaining("Task is not running");
  }
}
