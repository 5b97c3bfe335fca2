// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.datagram;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.DatagramFlag;
import dev.flowstone.model.abi.DatagramKind;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.RingLineageLayout;
import dev.flowstone.model.abi.TelemetryDatagramLayout;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Checks datagrams from the network, so that their readers need no checks of their own. With a key,
 * first of all verifies the tag. Without a key, creates no object. One thread.
 */
public final class DatagramCheck {
  /**
   * Two decades of a ring at 100 million packets a second: no counter comes that far, and sums of
   * what a hundred datagrams say are numbers still.
   */
  private static final long MOST_PACKETS = 1L << 56;

  private static final Optional<Refusal> SOUND = Optional.empty();
  private static final Optional<Refusal> TOO_SHORT = Optional.of(Refusal.TOO_SHORT);
  private static final Optional<Refusal> FOREIGN = Optional.of(Refusal.FOREIGN);
  private static final Optional<Refusal> VERSION = Optional.of(Refusal.VERSION);
  private static final Optional<Refusal> LENGTH = Optional.of(Refusal.LENGTH);
  private static final Optional<Refusal> CHECKSUM = Optional.of(Refusal.CHECKSUM);
  private static final Optional<Refusal> CONTENT = Optional.of(Refusal.CONTENT);
  private static final Optional<Refusal> UNAUTHENTICATED = Optional.of(Refusal.UNAUTHENTICATED);
  private static final Optional<Refusal> NO_KEY = Optional.of(Refusal.NO_KEY);

  private final Optional<DatagramTag> tag;

  /**
   * @param key that senders have, too; empty: they have none
   */
  public DatagramCheck(Optional<DatagramKey> key) {
    tag = key.map(DatagramTag::new);
  }

  /** Returns the fault of the first bytes of a buffer, or empty if they are a sound datagram. */
  public Optional<Refusal> fault(DatagramBuffer buffer, int lengthBytes) {
    if (tag.isEmpty()) {
      return formFault(buffer, lengthBytes);
    }
    return isAuthentic(tag.get(), buffer, lengthBytes)
        ? formFault(buffer, lengthBytes - DatagramTag.BYTES)
        : UNAUTHENTICATED;
  }

  /** The flag is checked first, because that costs less than the tag. */
  private static boolean isAuthentic(DatagramTag tag, DatagramBuffer buffer, int lengthBytes) {
    return lengthBytes >= DatagramHeader.BYTES + DatagramTag.BYTES
        && DatagramHeader.has(buffer.memory(), 0, DatagramFlag.AUTHENTICATED)
        && tag.isValid(buffer, lengthBytes);
  }

  private Optional<Refusal> formFault(DatagramBuffer buffer, int lengthBytes) {
    MemorySegment memory = buffer.memory();
    if (lengthBytes < DatagramHeader.BYTES) {
      return TOO_SHORT;
    }
    if (DatagramHeader.magic(memory, 0) != TelemetryDatagramLayout.MAGIC) {
      return FOREIGN;
    }
    if (DatagramHeader.version(memory, 0) != TelemetryDatagramLayout.VERSION) {
      return VERSION;
    }
    if (tag.isEmpty() && DatagramHeader.has(memory, 0, DatagramFlag.AUTHENTICATED)) {
      return NO_KEY;
    }
    if (lengthBytes != DatagramHeader.BYTES + bodyBytes(memory)) {
      return LENGTH;
    }
    if (DatagramHeader.checksum(memory, 0) != buffer.checksum(lengthBytes)) {
      return CHECKSUM;
    }
    return isSensible(memory) ? SOUND : CONTENT;
  }

  private static long bodyBytes(MemorySegment memory) {
    int count = DatagramHeader.count(memory, 0);
    return DatagramHeader.kind(memory, 0) == DatagramKind.HEARTBEAT
        ? count * RingLineageLayout.SIZE_BYTES
        : count * PacketRecordLayout.SIZE_BYTES;
  }

  private static boolean isSensible(MemorySegment memory) {
    int count = DatagramHeader.count(memory, 0);
    boolean hasSensibleBody =
        switch (DatagramHeader.kind(memory, 0)) {
          case DatagramKind.PACKETS -> count > 0 && holdsPacketsAlone(memory, count);
          case DatagramKind.HEARTBEAT ->
              count <= RingFileHeaderLayout.LINEAGE_ENTRIES && hasSensibleLineage(memory, count);
          case DatagramKind.HELLO -> count == 0;
          default -> false;
        };
    return hasSensibleBody && hasSensibleRings(memory) && hasSensibleCounts(memory, count);
  }

  /** A TIME or LOSS record among packets would be one in the receiver's ring. */
  private static boolean holdsPacketsAlone(MemorySegment memory, int count) {
    for (int i = 0; i < count; i++) {
      long record = DatagramHeader.BYTES + i * PacketRecordLayout.SIZE_BYTES;
      if (!PacketRecord.isPacket(PacketRecord.kind(PacketRecord.descriptor(memory, record)))) {
        return false;
      }
    }
    return true;
  }

  private static boolean hasSensibleLineage(MemorySegment memory, int count) {
    for (int i = 0; i < count; i++) {
      if (!isCount(HeartbeatLineage.offeredPackets(memory, 0, i))
          || !isCount(HeartbeatLineage.lostBeforeTap(memory, 0, i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean hasSensibleRings(MemorySegment memory) {
    int rings = DatagramHeader.ringCount(memory, 0);
    int keyGroups = DatagramHeader.maxParallelism(memory, 0);
    int ring = DatagramHeader.ring(memory, 0);
    return rings >= 1
        && rings <= RingFileHeaderLayout.MAX_RINGS
        && rings <= keyGroups
        && keyGroups <= RingFileHeaderLayout.MAX_KEY_GROUPS
        && ring < rings
        && StreamNumber.ring(DatagramHeader.stream(memory, 0)) == ring;
  }

  private static boolean hasSensibleCounts(MemorySegment memory, int count) {
    long packets = DatagramHeader.packets(memory, 0);
    long start = DatagramHeader.startPackets(memory, 0);
    long lostInRing = DatagramHeader.lostInRing(memory, 0);
    return isCount(DatagramHeader.sequence(memory, 0))
        && isCount(packets + count)
        && isCount(packets)
        && isCount(start)
        && isCount(lostInRing)
        && start + lostInRing <= packets
        && isCount(DatagramHeader.lostBeforeTap(memory, 0))
        && isCount(DatagramHeader.startLostBeforeTap(memory, 0));
  }

  private static boolean isCount(long count) {
    return count >= 0 && count <= MOST_PACKETS;
  }
}
