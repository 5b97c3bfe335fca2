// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.operators;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.FlowAggregate;
import dev.flowstone.connector.fpga.operators.FlowTable.Entry;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.stages.StageMetrics;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Adds up packets by flow and window in tables of its own, and emits a window when the watermark
 * passes its end. The tables are written to keyed state when a checkpoint is taken, as one list for
 * each key group, under any key of that group.
 */
public final class FlowWindowOperator<A, R> extends AbstractStreamOperator<R>
    implements OneInputStreamOperator<PacketBlock, R> {
  private static final long serialVersionUID = 1L;

  private final FlowAggregate<A, R> aggregate;
  private final TypeInformation<A> sumType;
  private final long sizeNs;
  private final int mostFlows;

  /** By the begin of their window. */
  private transient TreeMap<Long, FlowTable<A>> windows;

  private transient int openFlows;
  private transient long watermarkMs;
  private transient int maxParallelism;
  private transient KeyGroupRange mine;
  private transient int[] keys;
  private transient ListState<Tuple4<Long, Integer, FlowTuple, A>> saved;
  private transient TypeSerializer<A> sumSerializer;
  private transient Counter packetsLate;
  private transient Counter earlyResults;

  /**
   * Windows of flows.
   *
   * @param sizeNs of each window, whole milliseconds
   * @param mostFlows in all open windows
   */
  public FlowWindowOperator(
      FlowAggregate<A, R> aggregate, TypeInformation<A> sumType, long sizeNs, int mostFlows) {
    this.aggregate = aggregate;
    this.sumType = sumType;
    this.sizeNs = sizeNs;
    this.mostFlows = mostFlows;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    windows = new TreeMap<>();
    watermarkMs = Long.MIN_VALUE;
    KeyGroupState keyGroups = KeyGroupState.of(getRuntimeContext().getTaskInfo());
    maxParallelism = keyGroups.maxParallelism();
    mine = keyGroups.mine();
    keys = keyGroups.someKeys();
    sumSerializer = sumType.createSerializer(getExecutionConfig().getSerializerConfig());
    MetricGroup metrics = StageMetrics.of(getMetricGroup());
    packetsLate = metrics.counter("packetsLate");
    earlyResults = metrics.counter("earlyResults");
    saved =
        context
            .getKeyedStateStore()
            .getListState(
                new ListStateDescriptor<>(
                    "flows",
                    Types.TUPLE(
                        Types.LONG, Types.INT, TypeInformation.of(FlowTuple.class), sumType)));
    restore();
  }

  private void restore() throws Exception {
    for (int key : keys) {
      setCurrentKey(key);
      for (Tuple4<Long, Integer, FlowTuple, A> flow : saved.get()) {
        table(flow.f0).add(new Entry<>(flow.f2, flow.f1, flow.f3));
        openFlows++;
      }
    }
  }

  /** Sums are copied: they go on to change while Flink writes its state. */
  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    List<List<Tuple4<Long, Integer, FlowTuple, A>>> byKeyGroup = new ArrayList<>();
    mine.forEach(_ -> byKeyGroup.add(new ArrayList<>()));
    windows.forEach(
        (startNs, table) ->
            table.forEach(
                entry ->
                    byKeyGroup
                        .get(keyGroupOf(entry.flowHash()) - mine.getStartKeyGroup())
                        .add(copy(startNs, entry))));
    for (int i = 0; i < keys.length; i++) {
      setCurrentKey(keys[i]);
      saved.update(byKeyGroup.get(i));
    }
  }

  private Tuple4<Long, Integer, FlowTuple, A> copy(long startNs, Entry<A> entry) {
    A sum = sumSerializer.copy(entry.sum());
    return Tuple4.of(startNs, entry.flowHash(), entry.flow(), sum);
  }

  private int keyGroupOf(int flowHash) {
    return KeyGroups.keyGroup(flowHash, maxParallelism);
  }

  /** The blocks have no key: it is chosen where state is read and written. */
  @Override
  @SuppressWarnings("rawtypes")
  public void setKeyContextElement1(StreamRecord element) {}

  @Override
  public void processElement(StreamRecord<PacketBlock> element) {
    PacketBlock block = element.getValue();
    BlockLosses.tell(block, output);
    MemorySegment segment = block.segment();
    long startNs = 0;
    FlowTable<A> table = null;
    boolean late = false;
    for (int i = 0; i < block.count(); i++) {
      long timeNs = block.timeNs(i);
      // Neighbours are nearly always in the same window.
      if (table == null || timeNs < startNs || timeNs - startNs >= sizeNs) {
        startNs = timeNs - Math.floorMod(timeNs, sizeNs);
        table = table(startNs);
        late = isOver(startNs);
      }
      long offset = block.offsetOf(i);
      A sum = table.find(segment, offset);
      if (sum == null) {
        if (openFlows >= mostFlows) {
          emitEverything();
          table = table(startNs);
        }
        sum = open(table, segment, offset);
      }
      aggregate.add(sum, segment, offset);
      if (late) {
        packetsLate.inc();
      }
    }
    block.requireIntact();
  }

  private FlowTable<A> table(long startNs) {
    return windows.computeIfAbsent(startNs, _ -> new FlowTable<>());
  }

  private A open(FlowTable<A> table, MemorySegment segment, long offset) {
    int flowHash = PacketRecord.flowHash(segment, offset);
    requireMine(flowHash);
    A sum = aggregate.create();
    table.add(new Entry<>(FlowTuple.of(segment, offset), flowHash, sum));
    openFlows++;
    return sum;
  }

  private void requireMine(int flowHash) {
    int keyGroup = keyGroupOf(flowHash);
    if (!mine.contains(keyGroup)) {
      throw new IllegalStateException(
          "a packet of key group "
              + keyGroup
              + " came to the subtask that has "
              + mine
              + ": FlowWindows need the blocks of FlowExchange.blocksByFlow, with the parallelism and"
              + " maximum parallelism of the job");
    }
  }

  /** As Flink's windows are: when no packet of it is to come. */
  private boolean isOver(long startNs) {
    return lastMs(startNs) <= watermarkMs;
  }

  private long lastMs(long startNs) {
    return Math.floorDiv(startNs + sizeNs, BlockLosses.NS_PER_MS) - 1;
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    watermarkMs = mark.getTimestamp();
    while (!windows.isEmpty() && isOver(windows.firstKey())) {
      emitFirst();
    }
    super.processWatermark(mark);
  }

  private void emitEverything() {
    earlyResults.inc(openFlows);
    while (!windows.isEmpty()) {
      emitFirst();
    }
  }

  private void emitFirst() {
    var window = windows.pollFirstEntry();
    long startNs = window.getKey();
    StreamRecord<R> result = new StreamRecord<>(null, lastMs(startNs));
    window
        .getValue()
        .forEach(
            entry ->
                output.collect(
                    result.replace(aggregate.result(entry.flow(), startNs, entry.sum()))));
    openFlows -= window.getValue().count();
  }

  long packetsLate() {
    return packetsLate.getCount();
  }

  long earlyResults() {
    return earlyResults.getCount();
  }
}
