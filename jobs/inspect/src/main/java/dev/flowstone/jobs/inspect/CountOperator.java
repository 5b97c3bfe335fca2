// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.jobs.inspect.count.BlockCounter;
import dev.flowstone.jobs.inspect.count.InspectException;
import org.apache.flink.api.common.accumulators.ListAccumulator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.function.SerializableSupplier;

/** Shows a counter the packets that one subtask is given and hands over what it found. */
final class CountOperator<T> extends AbstractStreamOperator<Void>
    implements OneInputStreamOperator<PacketBlock, Void> {
  /** What all subtasks found, one entry each. */
  static final String FOUND = "found";

  private final SerializableSupplier<BlockCounter<T>> counters;
  private transient BlockCounter<T> counter;

  CountOperator(SerializableSupplier<BlockCounter<T>> counters) {
    this.counters = counters;
  }

  @Override
  public void open() throws Exception {
    super.open();
    noting(() -> counter = counters.get());
  }

  @Override
  public void processElement(StreamRecord<PacketBlock> element) {
    noting(() -> counter.add(element.getValue()));
  }

  /** Flink may look at an accumulator as soon as it knows it: it gets one that changes no more. */
  @Override
  public void finish() throws Exception {
    super.finish();
    ListAccumulator<T> found = new ListAccumulator<>();
    noting(() -> found.add(counter.found()));
    // What it kept makes room for what putting the findings of all subtasks together needs.
    counter = null;
    getRuntimeContext().addAccumulator(FOUND, found);
  }

  private void noting(Runnable counting) {
    try {
      counting.run();
    } catch (InspectException | OutOfMemoryError failure) {
      CounterFailures.note(getRuntimeContext().getJobInfo().getJobId(), failure);
      throw failure;
    }
  }
}
