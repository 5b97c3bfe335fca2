// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.time.Duration;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStreamFactory;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFinalizer;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Prints how long a checkpoint stops the packets when all flows changed. Run by hand. */
@SuppressWarnings("try")
final class FlowStateCost {
  private static final int FLOWS = 1_000_000;
  private static final int BLOCK = 1024;

  private FlowStateCost() {}

  public static void main(String[] arguments) throws Exception {
    FlowHarness.Backend backend = FlowHarness.Backend.valueOf(arguments[0]);
    int flows = arguments.length > 1 ? Integer.parseInt(arguments[1]) : FLOWS;
    FlowRecords function = new FlowRecords(Duration.ofDays(1), Duration.ofDays(1));
    FlowRoom room = FlowRoom.inMemoryAlone(flows);
    try (FlowHarness<FlowRecord> harness =
        FlowHarness.of(function, KeyedBlockOperator.onBlocks(function, room), backend, 1, 0)) {
      harness.open();
      Path folder = new Path(Files.createTempDirectory("flow-state-cost").toUri());
      FsCheckpointStreamFactory streams =
          new FsCheckpointStreamFactory(
              LocalFileSystem.getSharedInstance(), folder, folder, 20_480, 4_096);
      MemorySegment records = records(flows);
      for (int checkpoint = 1; checkpoint <= 8; checkpoint++) {
        give(harness, records, flows);
        long begin = System.nanoTime();
        long beginCpu = cpuNs();
        OperatorSnapshotFutures writing =
            harness.flows.snapshotState(
                checkpoint,
                checkpoint,
                CheckpointOptions.forCheckpointWithDefaultLocation(),
                streams);
        long stopCpuNs = cpuNs() - beginCpu;
        long stopNs = System.nanoTime() - begin;
        OperatorSubtaskState saved =
            OperatorSnapshotFinalizer.create(writing).getJobManagerOwnedState();
        harness.notifyOfCompletedCheckpoint(checkpoint);
        System.out.printf(
            "%s: %d flows, write-back %.0f ms, with Flink's part %.0f ms (CPU %.0f ms), then %.0f"
                + " ms; %.1f MB%n",
            backend,
            flows,
            harness.flows.writeBackNs() / 1e6,
            stopNs / 1e6,
            stopCpuNs / 1e6,
            (System.nanoTime() - begin - stopNs) / 1e6,
            saved.getCheckpointedSize() / 1e6);
      }
      LocalFileSystem.getSharedInstance().delete(folder, true);
    }
  }

  static long cpuNs() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  /** One packet of each flow. */
  static void give(FlowHarness<?> harness, MemorySegment records, int flows) throws Exception {
    for (int first = 0; first < flows; first += BLOCK) {
      PacketBlockOrigin origin = new PacketBlockOrigin(7, 1, first, 0, true);
      int count = Math.min(BLOCK, flows - first);
      harness.processElement(
          new StreamRecord<>(
              PacketBlock.of(origin, records, first * 64L, count, PacketLoss.NONE), 0));
    }
  }

  static MemorySegment records(int flows) {
    MemorySegment records = Arena.ofAuto().allocate(flows * 64L, 64);
    for (int flow = 0; flow < flows; flow++) {
      long at = flow * 64L;
      records.set(ValueLayout.JAVA_INT, at + PacketRecordLayout.TIME_LOW_OFFSET, flow);
      records.set(ValueLayout.JAVA_INT, at + PacketRecordLayout.FLOW_HASH_OFFSET, flow);
      records.set(ValueLayout.JAVA_INT, at + PacketRecordLayout.SOURCE_ADDRESS_OFFSET, flow);
      records.set(
          ValueLayout.JAVA_INT,
          at + PacketRecordLayout.DESCRIPTOR_OFFSET,
          (RecordKind.IPV6 << PacketRecordLayout.KIND_SHIFT) | 100);
    }
    return records;
  }
}
