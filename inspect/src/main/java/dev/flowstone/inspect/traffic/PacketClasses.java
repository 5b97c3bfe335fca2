// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.traffic;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.OtherReason;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Counts packets by what they are, or by why they have no 5-tuple. */
final class PacketClasses {
  private static final int NUMBERS = 1 << Short.SIZE;

  private long ipv4;
  private long ipv6;
  private final long[] byReason = new long[OtherReason.TOO_DEEP + 1];

  /** Indexed by number; null while no such packet was met. */
  private long[] byLinkType;

  private long[] byErfType;

  void addIp(boolean isIpv4) {
    if (isIpv4) {
      ipv4++;
    } else {
      ipv6++;
    }
  }

  void addOther(MemorySegment segment, long offset) {
    int reason = PacketRecord.sourcePort(segment, offset);
    int number = PacketRecord.destinationPort(segment, offset);
    if (reason == OtherReason.LINK_TYPE) {
      byLinkType = byLinkType == null ? new long[NUMBERS] : byLinkType;
      byLinkType[number]++;
    } else if (reason == OtherReason.ERF_TYPE) {
      byErfType = byErfType == null ? new long[NUMBERS] : byErfType;
      byErfType[number]++;
    } else {
      byReason[reason]++;
    }
  }

  /** Classes that occurred. */
  SortedMap<String, Long> counts() {
    SortedMap<String, Long> counts = new TreeMap<>();
    put(counts, "ipv4", ipv4);
    put(counts, "ipv6", ipv6);
    put(counts, "nonip", byReason[OtherReason.NOT_IP]);
    put(counts, "short-l2", byReason[OtherReason.SHORT_LINK]);
    put(counts, "short-ip", byReason[OtherReason.SHORT_IP]);
    put(counts, "bad-ip", byReason[OtherReason.BAD_IP]);
    put(counts, "mpls-nonip", byReason[OtherReason.MPLS_NOT_IP]);
    put(counts, "too-deep", byReason[OtherReason.TOO_DEEP]);
    putNumbers(counts, "link-", byLinkType);
    putNumbers(counts, "link-erf", byErfType);
    return counts;
  }

  private static void putNumbers(Map<String, Long> counts, String prefix, long[] byNumber) {
    for (int number = 0; byNumber != null && number < byNumber.length; number++) {
      put(counts, prefix + number, byNumber[number]);
    }
  }

  private static void put(Map<String, Long> counts, String name, long count) {
    if (count > 0) {
      counts.put(name, count);
    }
  }
}
