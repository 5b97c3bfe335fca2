// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.operators.BlockLosses;
import dev.flowstone.connector.fpga.operators.EventTime;
import dev.flowstone.connector.fpga.operators.KeyGroupState;
import dev.flowstone.offheap.flows.FlowTable;
import dev.flowstone.offheap.flows.FlowTablePages;
import dev.flowstone.offheap.flows.FlowTableSize;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.stages.StageMetrics;
import java.io.BufferedInputStream;
import java.io.InputStream;
import java.io.Serializable;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupStatePartitionStreamProvider;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Runs a {@link FlowFunction} on blocks, chained to where they come from: gives it the flow table
 * of this subtask's key groups, looks up whole blocks there, and writes what changed to keyed state
 * when a checkpoint is taken. Losses of blocks without rules go on by the side output of {@link
 * BlockLosses}; with rules they went where packets pass.
 */
public final class KeyedBlockOperator<B, R> extends AbstractStreamOperator<R>
    implements OneInputStreamOperator<B, R> {
  private static final long serialVersionUID = 1L;

  private final FlowFunction<R> function;
  private final WithRules<B> withRules;
  private final FlowTableSize size;
  private final Clock clock;

  private transient FlowTable table;
  private transient FlowState state;
  private transient FlowRulesState savedRules;
  private transient KeyGroupWriter keyGroupWriter;
  private transient KeyGroupRange mine;
  private transient long[] records;
  private transient long[] entries;
  private transient long writeBackNs;
  private transient long countedWithoutEntry;
  private transient MetricGroup stageMetrics;
  private transient Counter packets;
  private transient Counter packetsWithoutRoom;
  private transient Counter packetsWithoutPage;

  private KeyedBlockOperator(
      FlowFunction<R> function, FlowRoom room, WithRules<B> withRules, Clock clock) {
    this.function = function;
    this.withRules = withRules;
    this.clock = clock;
    size = room.of(function.format());
  }

  static <R> KeyedBlockOperator<PacketBlock, R> onBlocks(FlowFunction<R> function, FlowRoom room) {
    return onBlocks(function, room, System::nanoTime);
  }

  /** With another clock to go by in what is saved when. */
  static <R> KeyedBlockOperator<PacketBlock, R> onBlocks(
      FlowFunction<R> function, FlowRoom room, Clock clock) {
    return new KeyedBlockOperator<>(function, room, RuledBlock::withoutRules, clock);
  }

  static <R> KeyedBlockOperator<RuledBlock, R> onRuledBlocks(
      FlowFunction<R> function, FlowRoom room) {
    return onRuledBlocks(function, room, System::nanoTime);
  }

  /** With another clock to go by in what is saved when. */
  static <R> KeyedBlockOperator<RuledBlock, R> onRuledBlocks(
      FlowFunction<R> function, FlowRoom room, Clock clock) {
    return new KeyedBlockOperator<>(function, room, block -> block, clock);
  }

  @FunctionalInterface
  private interface WithRules<B> extends Serializable {
    RuledBlock of(B block);
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    KeyGroupState keyGroups = KeyGroupState.of(getRuntimeContext().getTaskInfo());
    mine = keyGroups.mine();
    table =
        new FlowTable(
            size, mine.getStartKeyGroup(), mine.getNumberOfKeyGroups(), keyGroups.maxParallelism());
    state =
        new FlowState(
            new FlowTablePages(table),
            function.format(),
            keyGroups,
            this::setCurrentKey,
            context.getKeyedStateStore().getMapState(FlowState.descriptor()),
            clock);
    for (KeyGroupStatePartitionStreamProvider changes : context.getRawKeyedStateInputs()) {
      try (InputStream stream = new BufferedInputStream(changes.getStream())) {
        state.restore(changes.getKeyGroupId() - mine.getStartKeyGroup(), stream);
      }
    }
    state.restoreOthers();
    savedRules = new FlowRulesState(context.getOperatorStateStore());
    keyGroupWriter = new KeyGroupWriter();
    records = new long[0];
    entries = new long[0];
    stageMetrics = StageMetrics.of(getMetricGroup());
    register();
  }

  private void register() {
    packets = stageMetrics.counter("packets");
    packetsWithoutRoom = stageMetrics.counter("packetsWithoutRoom");
    packetsWithoutPage = stageMetrics.counter("packetsWithoutPage");
    stageMetrics.gauge("flows", (Gauge<Long>) () -> table.flows());
    stageMetrics.gauge("flowsEvicted", (Gauge<Long>) () -> table.evictedFlows());
    stageMetrics.gauge("flowPagesEvicted", (Gauge<Long>) () -> table.pagesEvicted());
    stageMetrics.gauge("flowPagesWoken", (Gauge<Long>) () -> table.pagesWoken());
    stageMetrics.gauge("flowPagesBroughtBack", (Gauge<Long>) () -> table.pagesBroughtBack());
    stageMetrics.gauge("flowBytes", (Gauge<Long>) () -> table.usedBytes());
    stageMetrics.gauge("stateBytesWritten", (Gauge<Long>) () -> state.writtenBytes());
    stageMetrics.gauge("statePagesWaiting", (Gauge<Integer>) () -> state.pagesWaiting());
    stageMetrics.gauge("writeBackMs", (Gauge<Long>) () -> writeBackNs / BlockLosses.NS_PER_MS);
    stageMetrics.gauge("hugePages", (Gauge<Boolean>) () -> table.isInHugePages());
  }

  @Override
  public void open() throws Exception {
    super.open();
    function.open(new Context());
    function.restoreRules(savedRules.read());
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
    countedWithoutEntry = 0;
    final long withoutEntry = findOrAdd(block);
    packetsWithoutPage.inc(table.packetsWithoutPage() - packetsWithoutPage.getCount());
    function.update(ruled, entries);
    packetsWithoutRoom.inc(withoutEntry - countedWithoutEntry);
    block.requireIntact();
    state.putSome();
  }

  private int findOrAdd(PacketBlock block) {
    try {
      return table.findOrAdd(block.segment(), records, block.count(), entries);
    } catch (IllegalStateException e) {
      // Memory that holds other packets by now says nothing of where they were sent.
      block.requireIntact();
      throw e;
    }
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    function.advance(EventTime.earliestNs(mark.getTimestamp()));
    super.processWatermark(mark);
    // Where no packet comes, pages are left alone all the same.
    state.putSome();
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
    super.prepareSnapshotPreBarrier(checkpointId);
    function.beforeCheckpoint();
  }

  /** Without checkpoints, no barrier would come. */
  @Override
  public void finish() throws Exception {
    function.beforeCheckpoint();
    super.finish();
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    final long beginNs = System.nanoTime();
    savedRules.write(function.rules());
    state.beginCheckpoint();
    keyGroupWriter.write(
        mine,
        context.getRawKeyedOperatorStateOutput(),
        (keyGroup, out) -> state.writeChanges(keyGroup - mine.getStartKeyGroup(), out));
    writeBackNs = System.nanoTime() - beginNs;
  }

  @Override
  public void close() throws Exception {
    try {
      function.close();
    } finally {
      if (keyGroupWriter != null) {
        keyGroupWriter.close();
      }
      if (table != null) {
        table.close();
      }
      super.close();
    }
  }

  /** How long the last checkpoint's write-back stopped the packets. */
  long writeBackNs() {
    return writeBackNs;
  }

  long flowCount() {
    return table.flows();
  }

  long flowsEvicted() {
    return table.evictedFlows();
  }

  long stateBytesWritten() {
    return state.writtenBytes();
  }

  long pagesBroughtBack() {
    return table.pagesBroughtBack();
  }

  int changedPages() {
    return state.changedPages();
  }

  int pagesWaiting() {
    return state.pagesWaiting();
  }

  long packets() {
    return packets.getCount();
  }

  long packetsWithoutRoom() {
    return packetsWithoutRoom.getCount();
  }

  long packetsWithoutPage() {
    return packetsWithoutPage.getCount();
  }

  private final class Context implements FlowContext<R> {
    private final StreamRecord<R> record = new StreamRecord<>(null);

    @Override
    public FlowTable table() {
      return table;
    }

    @Override
    public MetricGroup metrics() {
      return stageMetrics;
    }

    @Override
    public void countWithoutEntry() {
      countedWithoutEntry++;
    }

    @Override
    public void emit(R result, long timeNs) {
      output.collect(record.replace(result, EventTime.ms(timeNs)));
    }
  }
}
