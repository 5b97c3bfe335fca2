// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.pane;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.operators.EventTime;
import dev.flowstone.connector.fpga.operators.KeyGroupState;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.rules.function.Anomaly;
import dev.flowstone.stages.StageMetrics;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Picks out the packets that detectors ask for and sums them up, chained to where they come from.
 * Sums leave when the watermark has passed their pane, or when there is no room for another:
 * whoever adds up the parts gets the whole. So after a restart, too, those that were open leave at
 * once, in whichever subtask.
 */
public final class PaneOperator extends AbstractStreamOperator<PanePart>
    implements OneInputStreamOperator<RuledBlock, PanePart> {
  private static final long serialVersionUID = 1L;
  private static final short NONE = 0;

  /** As much as the busiest 16,000 addresses take, or a hundred thousand ordinary ones. */
  private static final long USUAL_MOST_BYTES = 48 << 20;

  private final long mostBytes;

  private transient PaneTable table;
  private transient Handshakes handshakes;
  private transient ListState<byte[]> savedHandshakes;
  private transient List<PanePart> restored;
  private transient StreamRecord<PanePart> record;
  private transient RulesInForce rules;
  private transient RuleWatches[] watches;
  private transient short[][] asked;

  /** No packet from before is to come, but for late ones. */
  private transient long earliestNs;

  private transient Counter packets;
  private transient Counter packetsWatched;
  private transient Counter packetsLate;
  private transient Counter packetsUntimed;
  private transient Counter handshakesWithoutRoom;
  private transient Counter partsOut;
  private transient Counter partsEarly;

  /** An operator of each subtask. */
  public PaneOperator() {
    this(USUAL_MOST_BYTES);
  }

  /**
   * The same with another bound.
   *
   * @param mostBytes of the heap that sums may take before all of them leave
   */
  public PaneOperator(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** What began before a checkpoint may be completed after it, perhaps in another subtask. */
  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    savedHandshakes =
        context
            .getOperatorStateStore()
            .getUnionListState(
                new ListStateDescriptor<>(
                    "handshakes", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
    restored = SavedParts.read(context.getRawOperatorStateInputs());
    handshakes = new Handshakes();
    handshakesWithoutRoom = StageMetrics.of(getMetricGroup()).counter("handshakesWithoutRoom");
    KeyGroupState keyGroups = KeyGroupState.of(getRuntimeContext().getTaskInfo());
    for (byte[] saved : savedHandshakes.get()) {
      handshakesWithoutRoom.inc(
          handshakes.restore(saved, hash -> keyGroups.mine().contains(keyGroups.keyGroupOf(hash))));
    }
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    savedHandshakes.update(List.of(handshakes.save()));
    SavedParts saved = new SavedParts(context.getRawOperatorStateOutput());
    for (PanePart part : table.parts()) {
      saved.add(part);
    }
    saved.finish();
  }

  @Override
  public void open() throws Exception {
    super.open();
    table = new PaneTable(mostBytes);
    record = new StreamRecord<>(null);
    earliestNs = Long.MIN_VALUE;
    MetricGroup metrics = StageMetrics.of(getMetricGroup());
    packets = metrics.counter("packets");
    packetsWatched = metrics.counter("packetsWatched");
    packetsLate = metrics.counter("packetsLate");
    packetsUntimed = metrics.counter("packetsUntimed");
    partsOut = metrics.counter("partsOut");
    partsEarly = metrics.counter("partsEarly");
    for (PanePart part : restored) {
      send(part, Terms.of(part.terms()).lastMs(part.number()));
    }
    restored = List.of();
  }

  @Override
  public void processElement(StreamRecord<RuledBlock> element) {
    RuledBlock ruled = element.getValue();
    PacketBlock block = ruled.packets();
    packets.inc(block.count());
    if (!block.clockTrusted()) {
      packetsUntimed.inc(block.count());
      return;
    }
    take(ruled.rules());
    if (ruled.isOfOneRule()) {
      sift(block, ruled.ruleOf(0));
    } else {
      sift(ruled);
    }
    block.requireIntact();
  }

  /** Rules change rarely, and blocks say so by another object. */
  @SuppressWarnings("ReferenceEquality")
  private void take(RulesInForce inForce) {
    if (rules == inForce) {
      return;
    }
    rules = inForce;
    watches = new RuleWatches[rules.size()];
    asked = new short[rules.size()][];
    for (int rule = 0; rule < watches.length; rule++) {
      if (rules.kind(rule) == FunctionKind.ANOMALY) {
        watches[rule] =
            new RuleWatches(rules.id(rule), rules.tag(rule), (Anomaly) rules.function(rule));
        asked[rule] = watches[rule].asked();
      }
    }
  }

  /** Most packets are looked at here and nowhere else. */
  private void sift(PacketBlock block, int rule) {
    final MemorySegment records = block.segment();
    final short[] asked = this.asked[rule];
    final int count = block.count();
    for (int i = 0; i < count; i++) {
      final long at = block.offsetOf(i);
      final int index =
          RuleWatches.index(PacketRecord.protocol(records, at), PacketRecord.tcpFlags(records, at));
      if (asked[index] != NONE) {
        add(block, i, watches[rule], asked[index]);
      }
    }
  }

  private void sift(RuledBlock ruled) {
    final PacketBlock block = ruled.packets();
    final MemorySegment records = block.segment();
    final short[][] asked = this.asked;
    final int count = block.count();
    for (int i = 0; i < count; i++) {
      final long at = block.offsetOf(i);
      final int index =
          RuleWatches.index(PacketRecord.protocol(records, at), PacketRecord.tcpFlags(records, at));
      final short bits = asked[ruled.ruleOf(i)][index];
      if (bits != NONE) {
        add(block, i, watches[ruled.ruleOf(i)], bits);
      }
    }
  }

  private void add(PacketBlock block, int packet, RuleWatches ofRule, short bits) {
    MemorySegment records = block.segment();
    long at = block.offsetOf(packet);
    long timeNs = block.timeNs(packet);
    if (Watch.isCompleting(records, at)) {
      if (handshakes.complete(records, at, timeNs)) {
        addCompleted(records, at, timeNs, ofRule, bits);
      }
      return;
    }
    boolean isBegun = ofRule.wantHandshakes() && isBegun(records, at, timeNs);
    boolean isWatched = false;
    boolean isLate = false;
    for (int rest = Short.toUnsignedInt(bits); rest != 0; rest &= rest - 1) {
      Watch watch = ofRule.watch(Integer.numberOfTrailingZeros(rest));
      if (watch.takes(records, at)) {
        isWatched = true;
        PaneSum sum = sumOf(watch, records, at, timeNs);
        if (sum == null) {
          isLate = true;
        } else {
          add(block, packet, watch, sum);
          sum.addBegun(isBegun && watch.wantsHandshakes());
        }
      }
    }
    packetsWatched.inc(isWatched ? 1 : 0);
    packetsLate.inc(isLate ? 1 : 0);
  }

  private boolean isBegun(MemorySegment records, long at, long timeNs) {
    if (!Watch.isBeginning(records, at)) {
      return false;
    }
    Handshakes.Begun begun = handshakes.begin(records, at, timeNs);
    handshakesWithoutRoom.inc(begun == Handshakes.Begun.NO_ROOM ? 1 : 0);
    return begun == Handshakes.Begun.NEW;
  }

  /** Of all that bits name: others than those who want handshakes ask for no such packet. */
  private void addCompleted(
      MemorySegment records, long at, long timeNs, RuleWatches ofRule, short bits) {
    boolean isLate = false;
    for (int rest = Short.toUnsignedInt(bits); rest != 0; rest &= rest - 1) {
      PaneSum sum = sumOf(ofRule.watch(Integer.numberOfTrailingZeros(rest)), records, at, timeNs);
      if (sum == null) {
        isLate = true;
      } else {
        sum.addCompleted();
      }
    }
    packetsLate.inc(isLate ? 1 : 0);
  }

  private void add(PacketBlock block, int packet, Watch watch, PaneSum sum) {
    MemorySegment records = block.segment();
    long at = block.offsetOf(packet);
    int before = sum.memoryBytes();
    boolean isOfSource = watch.isOfSource();
    long peerHigh =
        isOfSource
            ? PacketRecord.destinationAddressHigh(records, at)
            : PacketRecord.sourceAddressHigh(records, at);
    long peerLow =
        isOfSource
            ? PacketRecord.destinationAddressLow(records, at)
            : PacketRecord.sourceAddressLow(records, at);
    sum.add(
        block.timeNs(packet),
        block.stream(),
        block.positionOf(packet),
        PacketRecord.frameLength(PacketRecord.descriptor(records, at)),
        watch.distinctHash(records, at, peerHigh, peerLow),
        peerHigh,
        peerLow);
    table.grew(sum.memoryBytes() - before);
  }

  /** Of the packet's subject and pane; null: that has been judged already. */
  private PaneSum sumOf(Watch watch, MemorySegment records, long at, long timeNs) {
    long number = Math.floorDiv(timeNs, watch.slideNs());
    if (watch.endNs(number) <= earliestNs) {
      return null;
    }
    makeRoom();
    boolean isOfSource = watch.isOfSource();
    return table.at(
        watch,
        PacketRecord.isIpv4(PacketRecord.kind(PacketRecord.descriptor(records, at))),
        isOfSource
            ? PacketRecord.sourceAddressHigh(records, at)
            : PacketRecord.destinationAddressHigh(records, at),
        isOfSource
            ? PacketRecord.sourceAddressLow(records, at)
            : PacketRecord.destinationAddressLow(records, at),
        watch.portOf(records, at),
        number);
  }

  private void makeRoom() {
    if (table.isFull()) {
      partsEarly.inc(send(Long.MAX_VALUE));
    }
  }

  /** What has ended by this time goes on. */
  private int send(long nowNs) {
    return table.take(nowNs, this::send);
  }

  private void send(PanePart part, long lastMs) {
    partsOut.inc();
    output.collect(record.replace(part, lastMs));
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    earliestNs = EventTime.earliestNs(mark.getTimestamp());
    send(earliestNs);
    handshakes.forgetBefore(earliestNs);
    super.processWatermark(mark);
  }

  /** Watched and yet in no window. */
  public long packetsLate() {
    return packetsLate.getCount();
  }

  /** See {@link #packetsLate}. */
  public long packetsUntimed() {
    return packetsUntimed.getCount();
  }
}
