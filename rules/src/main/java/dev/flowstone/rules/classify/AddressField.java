// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.classify;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.rules.AddressMatch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A packet's source or destination, held against all prefixes of the rules at once. */
record AddressField(int fieldOffsetBytes, Ipv4Classes ipv4, Ipv6Classes ipv6, RuleBitmaps bitmaps)
    implements Field {

  static final ValueLayout.OfLong NETWORK_U64 =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

  /**
   * The field as the rules ask for it; empty if none names a prefix.
   *
   * @param asked of each rule its condition; what is no prefix is another field's
   */
  static Optional<AddressField> of(
      int fieldOffsetBytes, List<Optional<AddressMatch>> asked, int words) {
    BitSet indifferent = new BitSet();
    Map<AddressMatch, BitSet> ipv4 = new HashMap<>();
    Map<AddressMatch, BitSet> ipv6 = new HashMap<>();
    for (int rule = 0; rule < asked.size(); rule++) {
      Optional<AddressMatch> prefix = asked.get(rule).filter(AddressMatch::isPrefix);
      prefix
          .map(any -> (any.ipv4() ? ipv4 : ipv6).computeIfAbsent(any, _ -> new BitSet()))
          .orElse(indifferent)
          .set(rule);
    }
    if (ipv4.isEmpty() && ipv6.isEmpty()) {
      return Optional.empty();
    }
    RuleBitmaps.Builder bitmaps = new RuleBitmaps.Builder(words);
    return Optional.of(
        new AddressField(
            fieldOffsetBytes,
            Ipv4Classes.of(AddressIntervals.of(ipv4, indifferent, bitmaps)),
            Ipv6Classes.of(AddressIntervals.of(ipv6, indifferent, bitmaps)),
            bitmaps.build()));
  }

  /** Without IP there is no address, and the rules that ask for one are out by the descriptor. */
  @Override
  public void find(MemorySegment records, long offsetBytes, int count, char[] classes) {
    for (int i = 0; i < count; i++) {
      long record = offsetBytes + (long) i * RECORD_BYTES;
      long low = records.get(NETWORK_U64, record + fieldOffsetBytes + Long.BYTES);
      int kind = PacketRecord.kind(PacketRecord.descriptor(records, record));
      classes[i] =
          PacketRecord.isIpv4(kind)
              ? ipv4.classOf((int) low)
              : ipv6.classOf(records.get(NETWORK_U64, record + fieldOffsetBytes), low);
    }
  }

  @Override
  public long memoryBytes() {
    return ipv4.memoryBytes() + ipv6.memoryBytes() + bitmaps.memoryBytes();
  }
}
