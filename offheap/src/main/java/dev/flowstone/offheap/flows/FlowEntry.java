// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.TupleHash;
import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * How an entry of a {@link FlowTable} begins; the function's bytes follow. Little-endian, addresses
 * as a packet record has them.
 *
 * <pre>
 *  0  source address, 16 bytes
 * 16  destination address, 16 bytes
 * 32  source port, 2 bytes
 * 34  destination port, 2 bytes
 * 36  protocol
 * 37  bit 0: IPv4; bit 7: an entry is here
 * 38  2 bytes of zero
 * 40  the function's bytes
 * </pre>
 *
 * <p>It is written to state as it lies here: whoever changes it counts {@link #VERSION} up.
 */
public final class FlowEntry {
  public static final int VERSION = 1;
  public static final int KEY_BYTES = 40;

  static final int PORTS_OFFSET = 32;

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final long LOWER = 0xffff_ffffL;
  private static final int PROTOCOL_SHIFT = 32;
  private static final long IPV4 = 1L << 40;
  private static final long HERE = 1L << 47;

  private FlowEntry() {}

  /** Ports, protocol and marks of the entry that a packet's flow has. */
  static long rest(MemorySegment records, long at) {
    long ports = records.get(LONG, at + PacketRecordLayout.SOURCE_PORT_OFFSET) & LOWER;
    long attributes = records.get(LONG, at + PacketRecordLayout.PROTOCOL_OFFSET);
    int kind = PacketRecord.kind((int) (attributes >>> Integer.SIZE));
    long rest = ports | (attributes & 0xff) << PROTOCOL_SHIFT | HERE;
    return PacketRecord.isIpv4(kind) ? rest | IPV4 : rest;
  }

  /** The hash of a packet's flow, its rest known. */
  static int hashOfRecord(MemorySegment records, long at, long rest) {
    long source = at + PacketRecordLayout.SOURCE_ADDRESS_OFFSET;
    return hash(records, source, rest);
  }

  /** The same hash, of an entry. */
  static int hash(MemorySegment entries, long entry) {
    return hash(entries, entry, entries.get(LONG, entry + PORTS_OFFSET));
  }

  /** Records and entries have their addresses side by side. */
  private static int hash(MemorySegment memory, long source, long rest) {
    return TupleHash.of(
        memory.get(LONG, source),
        memory.get(LONG, source + 8),
        memory.get(LONG, source + 16),
        memory.get(LONG, source + 24),
        rest);
  }

  static boolean isOfRecord(
      MemorySegment entries, long entry, MemorySegment records, long at, long rest) {
    return isSame(entries, entry, records, at + PacketRecordLayout.SOURCE_ADDRESS_OFFSET, rest);
  }

  static boolean isSameFlow(MemorySegment entries, long entry, long other) {
    return isSame(entries, entry, entries, other, entries.get(LONG, other + PORTS_OFFSET));
  }

  /** Without a branch for each word: what is looked at is nearly always the same. */
  private static boolean isSame(
      MemorySegment entries, long entry, MemorySegment memory, long source, long rest) {
    return ((entries.get(LONG, entry) ^ memory.get(LONG, source))
            | (entries.get(LONG, entry + 8) ^ memory.get(LONG, source + 8))
            | (entries.get(LONG, entry + 16) ^ memory.get(LONG, source + 16))
            | (entries.get(LONG, entry + 24) ^ memory.get(LONG, source + 24))
            | (entries.get(LONG, entry + PORTS_OFFSET) ^ rest))
        == 0;
  }

  static boolean hasRest(MemorySegment entries, long entry, long rest) {
    return entries.get(LONG, entry + PORTS_OFFSET) == rest;
  }

  static void writeKey(
      MemorySegment entries, long entry, MemorySegment records, long at, long rest) {
    MemorySegment.copy(
        records,
        at + PacketRecordLayout.SOURCE_ADDRESS_OFFSET,
        entries,
        entry,
        2 * PacketRecordLayout.SOURCE_ADDRESS_LENGTH);
    entries.set(LONG, entry + PORTS_OFFSET, rest);
  }

  /** Whether a flow is here, or free memory. */
  static boolean isHere(MemorySegment entries, long entry) {
    return (entries.get(LONG, entry + PORTS_OFFSET) & HERE) != 0;
  }

  /** The flow of an entry, as an object: for results, not for each packet. */
  public static FlowTuple tuple(MemorySegment entries, long entry) {
    long rest = entries.get(LONG, entry + PORTS_OFFSET);
    return new FlowTuple(
        Long.reverseBytes(entries.get(LONG, entry)),
        Long.reverseBytes(entries.get(LONG, entry + 8)),
        Long.reverseBytes(entries.get(LONG, entry + 16)),
        Long.reverseBytes(entries.get(LONG, entry + 24)),
        (int) rest & 0xffff,
        (int) rest >>> Short.SIZE,
        (int) (rest >>> PROTOCOL_SHIFT) & 0xff,
        (rest & IPV4) != 0);
  }
}
