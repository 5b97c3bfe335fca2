// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.operators.BlockLosses;
import dev.flowstone.connector.fpga.operators.KeyGroupState;
import dev.flowstone.offheap.flows.FlowTable;
import dev.flowstone.offheap.flows.FlowTableSize;
import dev.flowstone.operators.ruled.RuledBlock;
import java.io.BufferedInputStream;
import java.io.InputStream;
import java.io.Serializable;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.KeyGroupStatePartitionStreamProvider;
import org.apache.flink.runtime.state.KeyedStateCheckpointOutputStream;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Runs a {@link FlowFunction} on blocks, chained to where they come from: gives it the flow table
 * of this subtask's key groups, looks up whole blocks there, and writes what changed to keyed state
 * when a checkpoint is taken. Losses go on by the side output of {@link BlockLosses}.
 */
public final class KeyedBlockOperator<B, R> extends AbstractStreamOperator<R>
    implements OneInputStreamOperator<B, R> {
  private static final long serialVersionUID = 1L;

  private final FlowFunction<R> function;
  private final WithRules<B> withRules;
  private final FlowTableSize size;

  private transient FlowTable table;
  private transient FlowState state;
  private transient int firstKeyGroup;
  private transient long[] records;
  private transient long[] entries;
  private transient long writeBackNs;
  private transient Counter packets;
  private transient Counter packetsWithoutRoom;

  private KeyedBlockOperator(FlowFunction<R> function, int mostFlows, WithRules<B> withRules) {
    this.function = function;
    this.withRules = withRules;
    size = new FlowTableSize(function.format().stateBytes(), mostFlows);
  }

  static <R> KeyedBlockOperator<PacketBlock, R> onBlocks(FlowFunction<R> function, int mostFlows) {
    return new KeyedBlockOperator<>(function, mostFlows, RuledBlock::withoutRules);
  }

  static <R> KeyedBlockOperator<RuledBlock, R> onRuledBlocks(
      FlowFunction<R> function, int mostFlows) {
    return new KeyedBlockOperator<>(function, mostFlows, block -> block);
  }

  @FunctionalInterface
  private interface WithRules<B> extends Serializable {
    RuledBlock of(B block);
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    KeyGroupState keyGroups = KeyGroupState.of(getRuntimeContext().getTaskInfo());
    table =
        new FlowTable(
            size,
            keyGroups.mine().getStartKeyGroup(),
            keyGroups.mine().getNumberOfKeyGroups(),
            keyGroups.maxParallelism());
    state =
        new FlowState(
            table,
            function.format(),
            keyGroups.someKeys(),
            this::setCurrentKey,
            context.getKeyedStateStore().getMapState(FlowState.descriptor()),
            System.nanoTime());
    firstKeyGroup = keyGroups.mine().getStartKeyGroup();
    for (KeyGroupStatePartitionStreamProvider changes : context.getRawKeyedStateInputs()) {
      try (InputStream stream = new BufferedInputStream(changes.getStream())) {
        state.restoreChanges(changes.getKeyGroupId() - firstKeyGroup, stream);
      }
    }
    state.restore();
    records = new long[0];
    entries = new long[0];
    register(getMetricGroup());
  }

  private void register(MetricGroup metrics) {
    packets = metrics.counter("packets");
    packetsWithoutRoom = metrics.counter("packetsWithoutRoom");
    metrics.gauge("flows", (Gauge<Integer>) () -> table.flows());
    metrics.gauge("flowBytes", (Gauge<Long>) () -> table.usedBytes());
    metrics.gauge("stateBytesWritten", (Gauge<Long>) () -> state.writtenBytes());
    metrics.gauge("writeBackMs", (Gauge<Long>) () -> writeBackNs / BlockLosses.NS_PER_MS);
    metrics.gauge("hugePages", (Gauge<Boolean>) () -> table.isInHugePages());
  }

  @Override
  public void open() throws Exception {
    super.open();
    function.open(new Context());
  }

  /** Flink then leaves that stream to this operator, which has no timers. */
  @Override
  protected boolean isUsingCustomRawKeyedState() {
    return true;
  }

  /** The blocks have no key: it is chosen where state is read and written. */
  @Override
  @SuppressWarnings("rawtypes")
  public void setKeyContextElement1(StreamRecord element) {}

  @Override
  public void processElement(StreamRecord<B> element) throws Exception {
    RuledBlock ruled = withRules.of(element.getValue());
    PacketBlock block = ruled.packets();
    BlockLosses.tell(block, output);
    int count = block.count();
    if (count > records.length) {
      records = new long[count];
      entries = new long[count];
    }
    for (int i = 0; i < count; i++) {
      records[i] = block.offsetOf(i);
    }
    packets.inc(count);
    packetsWithoutRoom.inc(table.findOrAdd(block.segment(), records, count, entries));
    function.update(ruled, entries);
    block.requireIntact();
    state.putSome(System.nanoTime());
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    function.advance(earliestNs(mark.getTimestamp()));
    super.processWatermark(mark);
  }

  /** A watermark is the last millisecond of which nothing is to come. */
  private static long earliestNs(long watermarkMs) {
    long ms = watermarkMs + 1;
    return watermarkMs >= Long.MAX_VALUE / BlockLosses.NS_PER_MS - 1
        ? Long.MAX_VALUE
        : Math.max(ms, Long.MIN_VALUE / BlockLosses.NS_PER_MS) * BlockLosses.NS_PER_MS;
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    long beginNs = System.nanoTime();
    state.beginCheckpoint(beginNs);
    KeyedStateCheckpointOutputStream stream = context.getRawKeyedOperatorStateOutput();
    for (int group = 0; group < table.groups(); group++) {
      stream.startNewKeyGroup(firstKeyGroup + group);
      state.writeChanges(group, stream);
    }
    writeBackNs = System.nanoTime() - beginNs;
  }

  @Override
  public void close() throws Exception {
    if (table != null) {
      table.close();
    }
    super.close();
  }

  /** How long the last checkpoint's write-back stopped the packets. */
  long writeBackNs() {
    return writeBackNs;
  }

  int flowCount() {
    return table.flows();
  }

  long stateBytesWritten() {
    return state.writtenBytes();
  }

  long packets() {
    return packets.getCount();
  }

  long packetsWithoutRoom() {
    return packetsWithoutRoom.getCount();
  }

  private final class Context implements FlowContext<R> {
    private final StreamRecord<R> record = new StreamRecord<>(null);

    @Override
    public FlowTable table() {
      return table;
    }

    @Override
    public MetricGroup metrics() {
      return getMetricGroup();
    }

    @Override
    public void emit(R result, long timeNs) {
      output.collect(record.replace(result, Math.floorDiv(timeNs, BlockLosses.NS_PER_MS)));
    }
  }
}
