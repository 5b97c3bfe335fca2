// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.losses;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.StreamNumber;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;

/**
 * Lost packets that no row has told of, by stream, also over restarts. A stream is read by one
 * subtask at a time, and any subtask may be the next: each is given what all knew, of each stream
 * two sums that only grow, so that the larger ones are the later ones. At most as many streams as a
 * source reads, 65,536; without losses none, in memory and in checkpoints. One thread.
 */
public final class UntoldLosses {
  private final ListState<Tuple3<Long, Long, Long>> saved;
  private final TaskInfo task;
  private final Map<Long, Sums> streams = new HashMap<>();

  /** Packets of a stream since the query began. */
  private static final class Sums {
    private long lost;
    private long told;

    /** Whether blocks came here: else it is known from a checkpoint alone. */
    private boolean isReadHere;

    long tell() {
      long untold = lost - told;
      told = lost;
      return untold;
    }
  }

  /** Goes on with what a checkpoint knows, if there is one. */
  public UntoldLosses(OperatorStateStore state, TaskInfo task) throws Exception {
    this.task = task;
    saved =
        state.getUnionListState(
            new ListStateDescriptor<>("losses", Types.TUPLE(Types.LONG, Types.LONG, Types.LONG)));
    for (Tuple3<Long, Long, Long> entry : saved.get()) {
      Sums sums = of(entry.f0);
      sums.lost = Math.max(sums.lost, entry.f1);
      sums.told = Math.max(sums.told, entry.f2);
    }
  }

  private Sums of(long stream) {
    return streams.computeIfAbsent(stream, _ -> new Sums());
  }

  /** Takes up what a block says was lost; it comes before its rows. */
  public void add(PacketBlock block) {
    PacketLoss loss = block.lossBefore();
    if (loss.isNone() && streams.isEmpty()) {
      return;
    }
    Sums sums = loss.isNone() ? streams.get(block.stream()) : of(block.stream());
    if (sums != null) {
      sums.lost += loss.inRing() + loss.beforeTap();
      sums.isReadHere = true;
    }
  }

  /** For a row of the stream: how many it tells of, which then are told. */
  public long tell(long stream) {
    Sums sums = streams.isEmpty() ? null : streams.get(stream);
    return sums == null ? 0 : sums.tell();
  }

  /** For a row of all streams that are read here. */
  public long tellAll() {
    long told = 0;
    for (Sums sums : streams.values()) {
      if (sums.isReadHere) {
        told += sums.tell();
      }
    }
    return told;
  }

  /**
   * Writes what was read here; and, of what no subtask may have read since the restore, a share. So
   * nothing is forgotten, and nothing is written more than twice.
   */
  public void save() throws Exception {
    List<Tuple3<Long, Long, Long>> entries = new ArrayList<>();
    streams.forEach(
        (stream, sums) -> {
          if (sums.isReadHere || isShare(stream)) {
            entries.add(Tuple3.of(stream, sums.lost, sums.told));
          }
        });
    saved.update(entries);
  }

  private boolean isShare(long stream) {
    return StreamNumber.part(stream, task.getNumberOfParallelSubtasks())
        == task.getIndexOfThisSubtask();
  }
}
