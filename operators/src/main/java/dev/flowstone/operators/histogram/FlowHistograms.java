// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import static dev.flowstone.operators.histogram.IntervalMemory.CLOCK_STEPS;
import static dev.flowstone.operators.histogram.IntervalMemory.EARLIER;
import static dev.flowstone.operators.histogram.IntervalMemory.FIRST;
import static dev.flowstone.operators.histogram.IntervalMemory.UNTIMED;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.offheap.flows.FlowEntry;
import dev.flowstone.offheap.flows.FlowTable;
import dev.flowstone.offheap.flows.FlowWaking;
import dev.flowstone.operators.FlowContext;
import dev.flowstone.operators.FlowFunction;
import dev.flowstone.operators.FlowStateFormat;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.metrics.Counter;

/**
 * Histograms of inter-arrival times and packet sizes, by interval of event time.
 *
 * <p>A gap lies between packets of one flow, which is what one side sends, under one rule: it
 * counts from the latest time of the flow, and belongs to the interval of the later packet. A
 * packet with a time before the latest makes no gap and is counted in the interval of the latest;
 * so is one that is more than a second earlier, after which gaps count from its time, for a clock
 * was set. A gap longer than the range and an interval together is none: a flow that is silent for
 * so long begins anew, whether it is still in the table or not. So results depend on the order of
 * the packets of each flow and on their times alone.
 *
 * <p>Counts per flow are in the flow's entry, and leave when its next interval begins or when the
 * watermark says that this one is over. Others are kept by subtask and leave as parts, which {@link
 * MergeParts} adds up; so do those of a flow of which a count is full. A packet whose interval was
 * told counts in the first that is still open.
 */
final class FlowHistograms implements FlowFunction<HistogramPart> {
  private static final long serialVersionUID = 1L;

  private static final String NAME = "histogram";
  private static final int VERSION = 2;

  /** With former ones, of which flows still have counts. */
  private static final int MOST_RULES = 1 << 14;

  /** Packets whose counts are asked for together. */
  private static final int BATCH = 32;

  private final HistogramRoom room;
  private final int mostPackets;

  private transient FlowContext<HistogramPart> context;
  private transient FlowTable table;
  private transient MemorySegment memory;
  private transient CountsCode code;
  private transient RulesInForce inForce;
  private transient RuleAtWork[] rules;
  private transient Map<Long, RuleAtWork> byId;
  private transient long nowNs;
  private transient long newestVersion;
  private transient int gapCount;
  private transient int lateCount;

  /** Of no meaning; keeps the loads of {@link #touch}, which nobody else needs. */
  @SuppressWarnings("UnusedVariable")
  private transient int touched;

  private transient Counter gaps;
  private transient Counter first;
  private transient Counter earlier;
  private transient Counter clockSteps;
  private transient Counter untimed;
  private transient Counter late;
  private transient Counter packetsWithoutRoomOfRule;
  private transient Counter flowsOfFormerRules;
  private transient Counter packetsOfFormerRules;
  private transient Counter partsOut;

  FlowHistograms(HistogramRoom room) {
    this(room, Integer.MAX_VALUE);
  }

  /**
   * The same with another bound.
   *
   * @param mostPackets of a part
   */
  FlowHistograms(HistogramRoom room, int mostPackets) {
    this.room = room;
    this.mostPackets = mostPackets;
  }

  /**
   * What the rules that are still there have counted fits, for a rule's number is of its options.
   */
  @Override
  public FlowStateFormat format() {
    return new FlowStateFormat(NAME, VERSION, room.flowBytes(), true);
  }

  @Override
  public TypeInformation<HistogramPart> resultType() {
    return TypeInformation.of(HistogramPart.class);
  }

  @Override
  public void open(FlowContext<HistogramPart> opened) {
    context = opened;
    table = opened.table();
    memory = table.memory();
    code = new CountsCode();
    byId = new HashMap<>();
    gaps = opened.metrics().counter("gaps");
    first = opened.metrics().counter("packetsFirst");
    earlier = opened.metrics().counter("packetsEarlier");
    clockSteps = opened.metrics().counter("packetsAtClockSteps");
    untimed = opened.metrics().counter("packetsUntimed");
    late = opened.metrics().counter("packetsLate");
    packetsWithoutRoomOfRule = opened.metrics().counter("packetsWithoutRoomOfRule");
    flowsOfFormerRules = opened.metrics().counter("flowsOfFormerRules");
    packetsOfFormerRules = opened.metrics().counter("packetsOfFormerRules");
    partsOut = opened.metrics().counter("partsOut");
    inForce = null;
    nowNs = Long.MIN_VALUE;
    newestVersion = Long.MIN_VALUE;
  }

  /**
   * What rules of the same number have counted stays. Rules reach subtasks one after the other, so
   * blocks of the former ones may come between those of the new.
   */
  private void takeUp(RulesInForce heard) {
    for (HistogramRule rule : HistogramRoom.histogramsOf(heard)) {
      byId.computeIfAbsent(rule.id, _ -> begin(rule)).goBy(rule, heard.version());
    }
    rules = new RuleAtWork[heard.size()];
    for (int i = 0; i < rules.length; i++) {
      rules[i] = byId.get(HistogramRule.idOf(heard, i));
    }
    inForce = heard;
    if (heard.version() > newestVersion) {
      newestVersion = heard.version();
      dismissFormer();
    }
    shareRoom();
  }

  private RuleAtWork begin(HistogramRule rule) {
    if (rule.flowBytes() > room.flowBytes()) {
      throw new IllegalStateException(
          "rule %s needs %,d bytes of each flow, there are %,d: nobody asked whether there is room"
              .formatted(rule.tag.name(), rule.flowBytes(), room.flowBytes()));
    }
    RuleAtWork work = new RuleAtWork(rule, code, this::emit);
    work.advance(nowNs);
    return work;
  }

  /** What former rules have summed up is told now; what they have counted of flows, in its time. */
  private void dismissFormer() {
    if (inForce.version() < newestVersion) {
      // The next block may be of these rules again.
      return;
    }
    byId.values()
        .removeIf(
            work ->
                work.askedVersion() < newestVersion
                    && (byId.size() > MOST_RULES || work.isDone(nowNs))
                    && work.end());
  }

  private void shareRoom() {
    List<RuleAtWork> summing =
        byId.values().stream().filter(work -> !work.rule.isPerFlow()).toList();
    summing.forEach(work -> work.giveRoom(room.partialBytes() / summing.size()));
  }

  private void emit(HistogramPart part) {
    partsOut.inc();
    context.emit(part, part.endNs() - 1);
  }

  @Override
  @SuppressWarnings("ReferenceEquality")
  public void update(RuledBlock ruled, long[] entries) {
    if (ruled.rules() != inForce) {
      takeUp(ruled.rules());
    }
    final PacketBlock block = ruled.packets();
    final MemorySegment records = block.segment();
    final MemorySegment memory = this.memory;
    final RuleAtWork[] rules = this.rules;
    final long timeBaseNs = block.timeBaseNs();
    final boolean timed = block.clockTrusted();
    final int count = block.count();
    for (int i = 0; i < count; i++) {
      if (i % BATCH == 0) {
        touched += touch(ruled, entries, i, Math.min(count, i + BATCH));
      }
      final RuleAtWork work = rules[ruled.ruleOf(i)];
      final long at = block.offsetOf(i);
      final long timeNs = PacketRecord.timeNs(PacketRecord.timeLow(records, at), timeBaseNs);
      final long entry = entryOf(entries[i], work, timeNs);
      final int frameLength = PacketRecord.frameLength(PacketRecord.descriptor(records, at));
      if (entry == FlowTable.NO_ROOM) {
        if (work.partials != null) {
          work.prefix.read(records, at);
        }
        countWithoutFlow(work, entries[i] == FlowTable.NO_ROOM, timed, timeNs, frameLength);
        continue;
      }
      final long reachedNs = Math.max(FlowMemory.reachedNs(memory, entry), timeNs);
      FlowMemory.setReachedNs(memory, entry, reachedNs);
      if (work.partials == null) {
        long interval = intervalOf(entry, work, reachedNs);
        if (count(work, memory, interval, entry, timed, timeNs, reachedNs, frameLength)) {
          tellPart(entry, work);
        }
      } else {
        work.prefix.read(records, at);
        final Partials partials = work.partials;
        long interval = partials.find(work.endOf(reachedNs));
        if (count(work, partials.memory, interval, entry, timed, timeNs, reachedNs, frameLength)) {
          partials.tellFound();
        }
      }
    }
    gaps.inc(gapCount);
    late.inc(lateCount);
    gapCount = 0;
    lateCount = 0;
  }

  /**
   * Asks for the lines in which the next packets count, by loads that do not wait for one another:
   * of many flows none is in a cache, and one after the other each would be waited for.
   */
  private int touch(RuledBlock ruled, long[] entries, int from, int end) {
    final PacketBlock block = ruled.packets();
    final MemorySegment records = block.segment();
    final MemorySegment memory = this.memory;
    final long timeBaseNs = block.timeBaseNs();
    int sum = 0;
    for (int i = from; i < end; i++) {
      final RuleAtWork work = rules[ruled.ruleOf(i)];
      final long entry = entries[i];
      if (entry == FlowTable.NO_ROOM || work.partials != null || work.rule.gaps == null) {
        continue;
      }
      final int timeLow = PacketRecord.timeLow(records, block.offsetOf(i));
      final long gapNs =
          PacketRecord.timeNs(timeLow, timeBaseNs) - FlowMemory.latestNs(memory, entry);
      final long interval = FlowMemory.interval(entry);
      sum += IntervalMemory.packets(memory, interval);
      if (gapNs >= 0 && gapNs <= work.rule.gaps.highest) {
        long at = interval + IntervalMemory.HISTOGRAMS;
        sum += HistogramMemory.count(memory, at, work.rule.gaps, gapNs);
      }
    }
    return sum;
  }

  /** Counts a packet; whether there is no room for another. */
  private boolean count(
      RuleAtWork work,
      MemorySegment where,
      long interval,
      long entry,
      boolean timed,
      long timeNs,
      long reachedNs,
      int frameLength) {
    final HistogramRule rule = work.rule;
    boolean isFull = countPacket(work, where, interval, reachedNs, frameLength);
    final long gapNs = timeNs - FlowMemory.latestNs(memory, entry);
    if (timed && gapNs >= 0 && gapNs <= rule.rememberedNs) {
      FlowMemory.setLatestNs(memory, entry, timeNs);
      gapCount++;
      if (rule.gaps != null) {
        isFull |=
            HistogramMemory.add(where, interval + IntervalMemory.HISTOGRAMS, rule.gaps, gapNs);
      }
    } else {
      HistogramMemory.increment(where, interval + withoutGap(entry, rule, timed, timeNs));
    }
    return isFull;
  }

  /** Counts a packet without its gap. Returns whether the counts are full. */
  private boolean countPacket(
      RuleAtWork work, MemorySegment where, long interval, long reachedNs, int frameLength) {
    final HistogramRule rule = work.rule;
    HistogramMemory.increment(where, interval);
    boolean isFull = IntervalMemory.packets(where, interval) >= mostPackets;
    if (reachedNs < work.openNs) {
      HistogramMemory.increment(where, interval + IntervalMemory.LATE);
      lateCount++;
    }
    if (rule.sizes != null) {
      isFull |= HistogramMemory.add(where, interval + rule.sizesOffset, rule.sizes, frameLength);
    }
    return isFull;
  }

  /**
   * Counts a packet whose flow has no entry. Sums of rules and prefixes require the entry only for
   * the gap: the packet is in them as the first of its flow.
   *
   * @param isOutsideTable whether the flow has no entry under any rule
   */
  private void countWithoutFlow(
      RuleAtWork work, boolean isOutsideTable, boolean timed, long timeNs, int frameLength) {
    if (work.partials == null) {
      packetsWithoutRoomOfRule.inc(isOutsideTable ? 0 : 1);
      return;
    }
    if (isOutsideTable) {
      context.countWithoutEntry();
    }
    (timed ? first : untimed).inc();
    final Partials partials = work.partials;
    final long interval = partials.find(work.endOf(timeNs));
    HistogramMemory.increment(partials.memory, interval + (timed ? FIRST : UNTIMED));
    if (countPacket(work, partials.memory, interval, timeNs, frameLength)) {
      partials.tellFound();
    }
  }

  /** Which counter is that of a packet without a gap. */
  private int withoutGap(long entry, HistogramRule rule, boolean timed, long timeNs) {
    if (!timed) {
      untimed.inc();
      return UNTIMED;
    }
    long latestNs = FlowMemory.latestNs(memory, entry);
    if (latestNs == FlowMemory.NEVER || timeNs - latestNs > rule.rememberedNs) {
      FlowMemory.setLatestNs(memory, entry, timeNs);
      first.inc();
      return FIRST;
    }
    if (latestNs - timeNs > HistogramRule.CLOCK_STEP_NS) {
      FlowMemory.setLatestNs(memory, entry, timeNs);
      clockSteps.inc();
      return CLOCK_STEPS;
    }
    earlier.inc();
    return EARLIER;
  }

  /** The flow's entry under this rule, nearly always the block's. */
  private long entryOf(long entry, RuleAtWork work, long timeNs) {
    return entry == FlowTable.NO_ROOM || FlowMemory.ruleId(memory, entry) == work.rule.id
        ? entry
        : entryBeside(entry, work.rule, timeNs);
  }

  private long entryBeside(long entry, HistogramRule rule, long timeNs) {
    long found = entry;
    while (found != FlowTable.NONE
        && !FlowMemory.isNew(memory, found)
        && FlowMemory.ruleId(memory, found) != rule.id) {
      found = table.nextOf(found);
    }
    if (found == FlowTable.NONE) {
      found = table.addBeside(entry);
    }
    if (found == FlowTable.NO_ROOM) {
      return FlowTable.NO_ROOM;
    }
    if (FlowMemory.isNew(memory, found)) {
      FlowMemory.begin(memory, found, rule.id);
      table.wakeAt(found, rule.forgetsNs(timeNs));
    }
    table.touch(found);
    return found;
  }

  /** Where the flow's interval lies that this time counts in; what was counted before is told. */
  private long intervalOf(long entry, RuleAtWork work, long timeNs) {
    long endNs = FlowMemory.endNs(memory, entry);
    if (timeNs >= endNs || endNs <= work.openNs) {
      tell(entry, work);
      endNs = work.endOf(timeNs);
      FlowMemory.setEndNs(memory, entry, endNs);
      table.wakeAt(entry, endNs);
    }
    return FlowMemory.interval(entry);
  }

  private void tell(long entry, RuleAtWork work) {
    long interval = FlowMemory.interval(entry);
    if (IntervalMemory.packets(memory, interval) > 0) {
      long endNs = FlowMemory.endNs(memory, entry);
      work.rule.tell(memory, interval, FlowEntry.tuple(memory, entry), "", endNs, code, this::emit);
    } else {
      IntervalMemory.begin(memory, interval);
    }
  }

  /** Tells what was counted so far of an interval that goes on. */
  private void tellPart(long entry, RuleAtWork work) {
    long interval = FlowMemory.interval(entry);
    IntervalMemory.markInParts(memory, interval);
    tell(entry, work);
    IntervalMemory.markInParts(memory, interval);
  }

  @Override
  public void advance(long earliestNs) {
    if (inForce == null) {
      // Of no flow it is known yet whether its rule is still there.
      return;
    }
    nowNs = earliestNs;
    table.wake(earliestNs, entry -> wake(entry, earliestNs));
    byId.values().forEach(work -> work.advance(earliestNs));
    dismissFormer();
  }

  private long wake(long entry, long nowNs) {
    RuleAtWork work = byId.get(FlowMemory.ruleId(memory, entry));
    if (work == null) {
      countFormer(entry);
      return FlowWaking.REMOVE;
    }
    if (work.rule.isPerFlow()) {
      long endNs = FlowMemory.endNs(memory, entry);
      if (endNs > nowNs) {
        work.isOpenUntil(endNs);
        return endNs;
      }
      if (endNs != FlowMemory.NO_INTERVAL) {
        tell(entry, work);
        FlowMemory.setEndNs(memory, entry, FlowMemory.NO_INTERVAL);
        table.touch(entry);
      }
    }
    long forgetsNs = work.rule.forgetsNs(FlowMemory.reachedNs(memory, entry));
    return forgetsNs <= nowNs ? FlowWaking.REMOVE : forgetsNs;
  }

  /** What was counted of a flow by a rule that nobody knows any more. */
  private void countFormer(long entry) {
    if (room.flowBytes() > FlowMemory.WITH_INTERVAL_BYTES + IntervalMemory.HISTOGRAMS) {
      int packets = IntervalMemory.packets(memory, FlowMemory.interval(entry));
      flowsOfFormerRules.inc(packets > 0 ? 1 : 0);
      packetsOfFormerRules.inc(packets);
    }
  }

  @Override
  public void beforeCheckpoint() {
    for (RuleAtWork work : byId.values()) {
      if (work.partials != null) {
        work.partials.tellAll();
      }
    }
  }

  @Override
  public void close() {
    if (byId != null) {
      byId.values().forEach(RuleAtWork::close);
    }
  }
}
