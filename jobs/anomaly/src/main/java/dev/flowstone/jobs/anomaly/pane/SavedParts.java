// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.pane;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.OperatorStateCheckpointOutputStream;
import org.apache.flink.runtime.state.StatePartitionStreamProvider;

/**
 * Parts in a checkpoint's own stream, in partitions of a bounded size that Flink deals out to
 * whatever subtasks there are later. Each begins with its format and the number of its parts.
 */
final class SavedParts {
  private static final int FORMAT = 1;
  private static final int PARTITION_BYTES = 1 << 18;

  private final OperatorStateCheckpointOutputStream stream;
  private final DataOutputSerializer partition = new DataOutputSerializer(PARTITION_BYTES);
  private int count;

  SavedParts(OperatorStateCheckpointOutputStream stream) {
    this.stream = stream;
  }

  void add(PanePart part) throws IOException {
    part.write(partition);
    count++;
    if (partition.length() >= PARTITION_BYTES) {
      finish();
    }
  }

  /** Writes what has not been written yet. */
  void finish() throws IOException {
    DataOutputSerializer head = new DataOutputSerializer(2 * Integer.BYTES);
    head.writeInt(FORMAT);
    head.writeInt(count);
    stream.startNewPartition();
    stream.write(head.getSharedBuffer(), 0, head.length());
    stream.write(partition.getSharedBuffer(), 0, partition.length());
    partition.clear();
    count = 0;
  }

  static List<PanePart> read(Iterable<StatePartitionStreamProvider> partitions) throws IOException {
    List<PanePart> parts = new ArrayList<>();
    for (StatePartitionStreamProvider each : partitions) {
      // Flink's to close: the next partition may be in it.
      InputStream stream = new BufferedInputStream(each.getStream());
      DataInputViewStreamWrapper in = new DataInputViewStreamWrapper(stream);
      SavedFormat.require("sums of panes", in.readInt(), FORMAT);
      int count = in.readInt();
      for (int i = 0; i < count; i++) {
        PanePart part = new PanePart();
        part.read(in);
        parts.add(part);
      }
    }
    return parts;
  }
}
