// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import dev.flowstone.blocks.PacketBlock;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;

/** Fails when and where it is told. */
final class Saboteur extends RichMapFunction<PacketBlock, PacketBlock>
    implements CheckpointedFunction, CheckpointListener {
  private static final long serialVersionUID = 1L;

  /** Where to fail. */
  enum Place {
    PROCESSING,
    SNAPSHOT,
    CHECKPOINT_COMPLETE
  }

  private static final AtomicReference<Place> NEXT_FAILURE = new AtomicReference<>();

  /** Fails once, when it next comes to that place. */
  static void failAt(Place place) {
    NEXT_FAILURE.set(place);
  }

  static void reset() {
    NEXT_FAILURE.set(null);
  }

  static boolean isDone() {
    return NEXT_FAILURE.get() == null;
  }

  private static void come(Place place) {
    if (NEXT_FAILURE.compareAndSet(place, null)) {
      throw new IllegalStateException("injected in " + place);
    }
  }

  @Override
  public PacketBlock map(PacketBlock block) {
    come(Place.PROCESSING);
    return block;
  }

  @Override
  public void snapshotState(FunctionSnapshotContext context) {
    come(Place.SNAPSHOT);
  }

  @Override
  public void initializeState(FunctionInitializationContext context) {}

  @Override
  public void notifyCheckpointComplete(long checkpointId) {
    come(Place.CHECKPOINT_COMPLETE);
  }
}
