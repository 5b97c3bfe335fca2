// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.offheap.flows.FlowEntry;
import dev.flowstone.results.RuleTag;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * How the state of {@link FlowRecords} lies in an entry. It is written to savepoints: whoever
 * changes it counts {@link #FORMAT} up.
 *
 * <pre>
 *  0  8  packets; 0: nothing is known of this flow yet
 *  8  8  bytes
 * 16  8  time of the first packet
 * 24  8  time of the last
 * 32  8  bits 63:9: from the first packet to the end of the flow's interval, ns
 *        bit 8: the flow may have other pieces
 *        bits 7:0: TCP flags
 * 40  8  number of the rule
 * </pre>
 */
final class FlowPiece {
  static final FlowStateFormat FORMAT = new FlowStateFormat("flow records", 2, 48);

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int PACKETS = FlowEntry.KEY_BYTES;
  private static final int BYTES = PACKETS + 8;
  private static final int FIRST = PACKETS + 16;
  private static final int LAST = PACKETS + 24;
  private static final int REST = PACKETS + 32;
  private static final int RULE = PACKETS + 40;
  private static final int FLAGS_MASK = 0xff;
  private static final int ONE_OF_SEVERAL = 0x100;
  private static final int LENGTH_SHIFT = 9;

  private FlowPiece() {}

  static boolean isNew(MemorySegment memory, long entry) {
    return memory.get(LONG, entry + PACKETS) == 0;
  }

  static void begin(
      MemorySegment memory,
      long entry,
      long ruleId,
      long timeNs,
      long endNs,
      int frameLength,
      int tcpFlags) {
    memory.set(LONG, entry + RULE, ruleId);
    memory.set(LONG, entry + PACKETS, 1);
    memory.set(LONG, entry + BYTES, frameLength);
    memory.set(LONG, entry + FIRST, timeNs);
    memory.set(LONG, entry + LAST, timeNs);
    memory.set(LONG, entry + REST, (endNs - timeNs) << LENGTH_SHIFT | tcpFlags);
  }

  /** The usual case: a packet not older than the last, of the flow's only piece; else false. */
  static boolean addNext(
      MemorySegment memory,
      long entry,
      long ruleId,
      long timeNs,
      long idleNs,
      int frameLength,
      int tcpFlags) {
    long packets = memory.get(LONG, entry + PACKETS);
    long sinceLastNs = timeNs - memory.get(LONG, entry + LAST);
    long sinceFirstNs = timeNs - memory.get(LONG, entry + FIRST);
    long rest = memory.get(LONG, entry + REST);
    if (packets == 0
        || memory.get(LONG, entry + RULE) != ruleId
        || sinceLastNs < 0
        || sinceLastNs > idleNs
        || sinceFirstNs >= rest >>> LENGTH_SHIFT
        || (rest & ONE_OF_SEVERAL) != 0) {
      return false;
    }
    memory.set(LONG, entry + PACKETS, packets + 1);
    memory.set(LONG, entry + BYTES, memory.get(LONG, entry + BYTES) + frameLength);
    memory.set(LONG, entry + LAST, timeNs);
    if ((rest | tcpFlags) != rest) {
      memory.set(LONG, entry + REST, rest | tcpFlags);
    }
    return true;
  }

  /** Any packet of the same piece, also one from before its first. */
  static void add(MemorySegment memory, long entry, long timeNs, int frameLength, int tcpFlags) {
    memory.set(LONG, entry + PACKETS, packets(memory, entry) + 1);
    memory.set(LONG, entry + BYTES, memory.get(LONG, entry + BYTES) + frameLength);
    extend(memory, entry, timeNs, timeNs, tcpFlags);
  }

  private static void extend(
      MemorySegment memory, long entry, long fromNs, long toNs, int moreFlags) {
    long endNs = endNs(memory, entry);
    long firstNs = Math.min(firstNs(memory, entry), fromNs);
    long marks = (memory.get(LONG, entry + REST) & (ONE_OF_SEVERAL | FLAGS_MASK)) | moreFlags;
    memory.set(LONG, entry + FIRST, firstNs);
    memory.set(LONG, entry + LAST, Math.max(lastNs(memory, entry), toNs));
    memory.set(LONG, entry + REST, (endNs - firstNs) << LENGTH_SHIFT | marks);
  }

  /** Takes in all that another piece has. */
  static void merge(MemorySegment memory, long entry, long other) {
    long packets = packets(memory, entry) + packets(memory, other);
    long bytes = memory.get(LONG, entry + BYTES) + memory.get(LONG, other + BYTES);
    memory.set(LONG, entry + PACKETS, packets);
    memory.set(LONG, entry + BYTES, bytes);
    extend(memory, entry, firstNs(memory, other), lastNs(memory, other), tcpFlags(memory, other));
  }

  /** Says whether a packet may join this piece without a look at others of its flow. */
  static void setOneOfSeveral(MemorySegment memory, long entry, boolean several) {
    long rest = memory.get(LONG, entry + REST);
    memory.set(LONG, entry + REST, several ? rest | ONE_OF_SEVERAL : rest & ~ONE_OF_SEVERAL);
  }

  /** Whether packets of these times, and of an interval with this end, are of the piece. */
  static boolean joins(
      MemorySegment memory,
      long entry,
      long ruleId,
      long fromNs,
      long toNs,
      long endNs,
      long idleNs) {
    return ruleId(memory, entry) == ruleId
        && endNs(memory, entry) == endNs
        && fromNs - lastNs(memory, entry) <= idleNs
        && firstNs(memory, entry) - toNs <= idleNs;
  }

  /** From this time on no packet can join the piece. */
  static long closesNs(MemorySegment memory, long entry, long idleNs) {
    return Math.min(lastNs(memory, entry) + idleNs + 1, endNs(memory, entry));
  }

  static long firstNs(MemorySegment memory, long entry) {
    return memory.get(LONG, entry + FIRST);
  }

  static long lastNs(MemorySegment memory, long entry) {
    return memory.get(LONG, entry + LAST);
  }

  /** Of the flow's interval that the piece is in. */
  static long endNs(MemorySegment memory, long entry) {
    return firstNs(memory, entry) + (memory.get(LONG, entry + REST) >>> LENGTH_SHIFT);
  }

  static long ruleId(MemorySegment memory, long entry) {
    return memory.get(LONG, entry + RULE);
  }

  static long packets(MemorySegment memory, long entry) {
    return memory.get(LONG, entry + PACKETS);
  }

  private static int tcpFlags(MemorySegment memory, long entry) {
    return (int) memory.get(LONG, entry + REST) & FLAGS_MASK;
  }

  static FlowRecord record(RuleTag rule, MemorySegment memory, long entry) {
    FlowTuple flow = FlowEntry.tuple(memory, entry);
    return new FlowRecord(
        rule,
        flow,
        firstNs(memory, entry),
        lastNs(memory, entry),
        packets(memory, entry),
        memory.get(LONG, entry + BYTES),
        tcpFlags(memory, entry));
  }
}
