// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.faults;

import dev.flowstone.blocks.PacketBlock;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;

/** An operator between rings and Kafka that does harm when it is told, once. */
final class Saboteur
    implements MapFunction<PacketBlock, PacketBlock>, CheckpointedFunction, CheckpointListener {
  private static final long serialVersionUID = 1L;
  private static final long POLL_INTERVAL_MS = 10;

  private enum Hold {
    NONE,
    WANTED,
    ON
  }

  private static final AtomicBoolean THROWS = new AtomicBoolean();
  private static final AtomicBoolean HAS_CHECKPOINT = new AtomicBoolean();
  private static final AtomicReference<Hold> HOLD = new AtomicReference<>(Hold.NONE);

  /** Whether packets came since the last checkpoint. */
  private transient boolean hasPackets;

  /** Nothing is wanted of it. */
  static void reset() {
    THROWS.set(false);
    HAS_CHECKPOINT.set(false);
    HOLD.set(Hold.NONE);
  }

  /** Its task fails with the next packets after a checkpoint: there is something to restore. */
  static void failNext() {
    THROWS.set(true);
  }

  /**
   * Its task stands still in the middle of the next checkpoint that has packets, until {@link
   * #reset}: what Kafka holds is to be committed, and nobody does.
   */
  static void holdNextCheckpoint() {
    HOLD.set(Hold.WANTED);
  }

  /** Whether it failed, or holds, as it was told. */
  static boolean isDone() {
    return !THROWS.get() && HOLD.get() != Hold.WANTED;
  }

  @Override
  public PacketBlock map(PacketBlock block) {
    if (HAS_CHECKPOINT.get() && !block.isEmpty() && THROWS.compareAndSet(true, false)) {
      throw new IllegalStateException("as the saboteur was told");
    }
    hasPackets |= !block.isEmpty();
    return block;
  }

  @Override
  public void snapshotState(FunctionSnapshotContext context) throws InterruptedException {
    if (hasPackets) {
      HOLD.compareAndSet(Hold.WANTED, Hold.ON);
    }
    while (HOLD.get() == Hold.ON) {
      Thread.sleep(POLL_INTERVAL_MS);
    }
    hasPackets = false;
  }

  @Override
  public void notifyCheckpointComplete(long checkpoint) {
    HAS_CHECKPOINT.set(true);
  }

  @Override
  public void initializeState(FunctionInitializationContext context) {}
}
