// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.offheap.flows.FlowTable;
import dev.flowstone.offheap.flows.FlowWaking;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.metrics.Counter;

/**
 * Flow records: packets, bytes, first and last time, TCP flags of each flow, by active and idle
 * timeout.
 *
 * <p>Packets of a flow under different rules are in different records, by each rule's own timeouts.
 *
 * <p>A flow's time is cut into intervals as long as the active timeout, which begin at a moment
 * that its flow hash chooses, so that long flows do not all end at once; within an interval it is
 * cut where no packet came for longer than the idle timeout. So a record depends on the packets'
 * times alone, whatever order they come in; it leaves when the watermark says that nothing can join
 * it any more. Until then a flow may have several pieces, in entries of their own.
 *
 * <p>A packet that comes behind the watermark and finds no piece to join begins one of its own
 * ({@code packetsLate}; after a restore this counts from the first watermark on). Where a flow has
 * too many pieces, or no room is left for one, the one that ends first leaves before its time
 * ({@code recordsEarly}). Either way each packet is in one record, and no record is behind the
 * watermark.
 */
public final class FlowRecords implements FlowFunction<FlowRecord> {
  private static final long serialVersionUID = 1L;

  /** Pieces of one flow that the watermark has not passed. */
  static final int MOST_PIECES = 8;

  private final FlowTimeouts defaults;

  private transient FlowRules rules;
  private transient FlowContext<FlowRecord> context;
  private transient FlowTable table;
  private transient MemorySegment memory;
  private transient long earliestNs;
  private transient Counter packetsLate;
  private transient Counter recordsEarly;
  private transient Counter recordsOut;
  private transient Counter packetsOut;

  /**
   * Records by these timeouts, where the rule asks for no others.
   *
   * @param active longest time that one record tells of; one millisecond to 365 days
   * @param idle longest time between two packets of one record; not longer than active
   */
  public FlowRecords(Duration active, Duration idle) {
    if (active.compareTo(Duration.ofMillis(1)) < 0 || active.compareTo(Duration.ofDays(365)) > 0) {
      throw new IllegalArgumentException(
          "the active timeout is one millisecond to 365 days: " + active);
    }
    if (idle.isNegative() || idle.isZero() || idle.compareTo(active) > 0) {
      throw new IllegalArgumentException(
          "the idle timeout is more than nothing and no more than the active one, "
              + active
              + ": "
              + idle);
    }
    defaults = new FlowTimeouts(active.toNanos(), idle.toNanos());
  }

  @Override
  public FlowStateFormat format() {
    return FlowPiece.FORMAT;
  }

  @Override
  public TypeInformation<FlowRecord> resultType() {
    return TypeInformation.of(FlowRecord.class);
  }

  @Override
  public void open(FlowContext<FlowRecord> opened) {
    context = opened;
    table = opened.table();
    memory = table.memory();
    earliestNs = Long.MIN_VALUE;
    rules = new FlowRules(defaults);
    packetsLate = opened.metrics().counter("packetsLate");
    recordsEarly = opened.metrics().counter("recordsEarly");
    recordsOut = opened.metrics().counter("recordsOut");
    packetsOut = opened.metrics().counter("packetsOut");
  }

  @Override
  public void restoreRules(List<FlowRule> restored) {
    rules.restore(restored);
  }

  @Override
  public List<FlowRule> rules() {
    return rules.all();
  }

  @Override
  public void update(RuledBlock ruled, long[] entries) {
    rules.activate(ruled.rules());
    final PacketBlock block = ruled.packets();
    final MemorySegment records = block.segment();
    final MemorySegment memory = this.memory;
    final long timeBaseNs = block.timeBaseNs();
    final RulesInForce active = ruled.rules();
    for (int i = 0; i < block.count(); i++) {
      final long entry = entries[i];
      if (entry == FlowTable.NO_ROOM) {
        continue;
      }
      final int rule = ruled.ruleOf(i);
      final long ruleId = active.id(rule);
      final FlowTimeouts timeouts = rules.timeoutsOfActive(rule);
      final long at = block.offsetOf(i);
      final long timeNs = PacketRecord.timeNs(PacketRecord.timeLow(records, at), timeBaseNs);
      final int frameLength = PacketRecord.frameLength(PacketRecord.descriptor(records, at));
      final int tcpFlags = PacketRecord.tcpFlags(records, at);
      if (!FlowPiece.addNext(
          memory, entry, ruleId, timeNs, timeouts.idleNs(), frameLength, tcpFlags)) {
        rules.keep(rule);
        long endNs = timeouts.endNs(timeNs, PacketRecord.flowHash(records, at));
        addElsewhere(entry, ruleId, timeNs, endNs, frameLength, tcpFlags);
      }
    }
  }

  /** Entry is the flow's first, which later packets of the block know, too: it stays. */
  private void addElsewhere(
      long entry, long ruleId, long timeNs, long endNs, int frameLength, int tcpFlags) {
    if (FlowPiece.isNew(memory, entry)) {
      begin(entry, ruleId, timeNs, endNs, frameLength, tcpFlags);
      return;
    }
    long piece = find(entry, ruleId, timeNs, timeNs, endNs, FlowTable.NONE);
    if (piece == FlowTable.NONE) {
      begin(newPiece(entry), ruleId, timeNs, endNs, frameLength, tcpFlags);
    } else {
      FlowPiece.add(memory, piece, timeNs, frameLength, tcpFlags);
      mergeNeighbour(piece, entry, endNs);
    }
    markPieces(entry);
  }

  /** Each may be on a page of its own, which changed, too. */
  private void markPieces(long entry) {
    boolean several = table.nextOf(entry) != FlowTable.NONE;
    for (long piece = entry; piece != FlowTable.NONE; piece = table.nextOf(piece)) {
      FlowPiece.setOneOfSeveral(memory, piece, several);
      table.touch(piece);
    }
  }

  private void begin(
      long piece, long ruleId, long timeNs, long endNs, int frameLength, int tcpFlags) {
    if (timeNs < earliestNs) {
      packetsLate.inc();
    }
    FlowPiece.begin(memory, piece, ruleId, timeNs, endNs, frameLength, tcpFlags);
    table.wakeAt(piece, FlowPiece.closesNs(memory, piece, rules.idleNs(ruleId)));
  }

  /** The flow's first piece that packets of these times join, or none. */
  private long find(long entry, long ruleId, long fromNs, long toNs, long endNs, long except) {
    long idleNs = rules.idleNs(ruleId);
    for (long piece = entry; piece != FlowTable.NONE; piece = table.nextOf(piece)) {
      if (piece != except && FlowPiece.joins(memory, piece, ruleId, fromNs, toNs, endNs, idleNs)) {
        return piece;
      }
    }
    return FlowTable.NONE;
  }

  /**
   * A packet may have closed the gap to one other piece, never to two: they are further apart. The
   * other is behind the piece, which was the first to be found; so it is not the block's entry.
   */
  private void mergeNeighbour(long piece, long entry, long endNs) {
    long firstNs = FlowPiece.firstNs(memory, piece);
    long lastNs = FlowPiece.lastNs(memory, piece);
    long ruleId = FlowPiece.ruleId(memory, piece);
    long neighbour = find(entry, ruleId, firstNs, lastNs, endNs, piece);
    if (neighbour != FlowTable.NONE) {
      assert neighbour != entry : "later packets of the block would be lost";
      FlowPiece.merge(memory, piece, neighbour);
      table.remove(neighbour);
    }
  }

  private long newPiece(long entry) {
    int pieces = 0;
    long oldest = entry;
    for (long piece = entry; piece != FlowTable.NONE; piece = table.nextOf(piece)) {
      pieces++;
      if (FlowPiece.lastNs(memory, piece) < FlowPiece.lastNs(memory, oldest)) {
        oldest = piece;
      }
    }
    long added = pieces < MOST_PIECES ? table.addBeside(entry) : FlowTable.NO_ROOM;
    if (added != FlowTable.NO_ROOM) {
      return added;
    }
    recordsEarly.inc();
    emit(oldest, FlowPiece.lastNs(memory, oldest));
    return oldest;
  }

  /** Not behind the watermark, as a record is that leaves early or that a late packet began. */
  private void emit(long piece, long timeNs) {
    recordsOut.inc();
    packetsOut.inc(FlowPiece.packets(memory, piece));
    context.emit(
        FlowPiece.record(rules.tag(FlowPiece.ruleId(memory, piece)), memory, piece),
        Math.max(timeNs, earliestNs));
  }

  @Override
  public void advance(long nowNs) {
    table.wake(nowNs, piece -> wake(piece, nowNs));
    earliestNs = nowNs;
  }

  /** The record's time is the last at which a packet could have joined. */
  private long wake(long piece, long nowNs) {
    long idleNs = rules.idleNs(FlowPiece.ruleId(memory, piece));
    long closesNs = FlowPiece.closesNs(memory, piece, idleNs);
    if (closesNs > nowNs) {
      return closesNs;
    }
    emit(piece, closesNs - 1);
    return FlowWaking.REMOVE;
  }

  long packetsLate() {
    return packetsLate.getCount();
  }

  long packetsOut() {
    return packetsOut.getCount();
  }

  long recordsEarly() {
    return recordsEarly.getCount();
  }
}
