// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.classify;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.rules.AddressMatch;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A packet's source or destination under one mask that is no prefix's, looked up by its hash. */
final class MaskedAddressField implements Field {
  private static final int SPREAD = 0x9e3779b9;

  private final int fieldOffsetBytes;
  private final AddressMatch mask;
  private final long[] high;
  private final long[] low;
  private final char[] classes;

  /** The class of what is in no slot, 0: of addresses that no rule names. */
  private final boolean[] taken;

  private final RuleBitmaps bitmaps;

  /** One for each mask. */
  static List<Field> of(int fieldOffsetBytes, List<Optional<AddressMatch>> asked, int words) {
    Map<AddressMatch, Map<AddressMatch, BitSet>> byMask = new LinkedHashMap<>();
    for (int rule = 0; rule < asked.size(); rule++) {
      Optional<AddressMatch> masked = asked.get(rule).filter(any -> !any.isPrefix());
      if (masked.isPresent()) {
        byMask
            .computeIfAbsent(maskOf(masked.get()), _ -> new HashMap<>())
            .computeIfAbsent(masked.get(), _ -> new BitSet())
            .set(rule);
      }
    }
    List<Field> fields = new ArrayList<>();
    byMask.forEach(
        (mask, rules) ->
            fields.add(new MaskedAddressField(fieldOffsetBytes, mask, rules, asked.size(), words)));
    return fields;
  }

  /** All addresses under the same mask have this one in common. */
  private static AddressMatch maskOf(AddressMatch address) {
    return new AddressMatch(
        address.ipv4(),
        0,
        address.ipv4() ? 0xffffL << Integer.SIZE : 0,
        address.maskHigh(),
        address.maskLow());
  }

  private MaskedAddressField(
      int fieldOffsetBytes,
      AddressMatch mask,
      Map<AddressMatch, BitSet> rules,
      int ruleCount,
      int words) {
    this.fieldOffsetBytes = fieldOffsetBytes;
    this.mask = mask;
    int slots = Integer.highestOneBit(rules.size()) * 4;
    high = new long[slots];
    low = new long[slots];
    taken = new boolean[slots];
    classes = new char[slots];
    RuleBitmaps.Builder builder = new RuleBitmaps.Builder(words);
    BitSet others = new BitSet();
    others.set(0, ruleCount);
    rules.values().forEach(others::andNot);
    builder.classOf(others);
    rules.forEach((address, own) -> put(address, builder.classOf(union(others, own))));
    bitmaps = builder.build();
  }

  private static BitSet union(BitSet one, BitSet other) {
    BitSet both = (BitSet) one.clone();
    both.or(other);
    return both;
  }

  private void put(AddressMatch address, char number) {
    int slot = firstSlot(address.high(), address.low());
    while (taken[slot]) {
      slot = (slot + 1) & (taken.length - 1);
    }
    taken[slot] = true;
    high[slot] = address.high();
    low[slot] = address.low();
    classes[slot] = number;
  }

  @Override
  public void find(MemorySegment records, long offsetBytes, int count, char[] found) {
    for (int i = 0; i < count; i++) {
      long record = offsetBytes + (long) i * RECORD_BYTES;
      int kind = PacketRecord.kind(PacketRecord.descriptor(records, record));
      found[i] =
          PacketRecord.isIpv4(kind) == mask.ipv4()
              ? classOf(
                  records.get(AddressField.NETWORK_U64, record + fieldOffsetBytes),
                  records.get(AddressField.NETWORK_U64, record + fieldOffsetBytes + Long.BYTES))
              : 0;
    }
  }

  /** There are more than twice as many slots as addresses, so that the walk ends. */
  private char classOf(long addressHigh, long addressLow) {
    long wantedHigh = addressHigh & mask.maskHigh();
    long wantedLow = addressLow & mask.maskLow();
    int slot = firstSlot(wantedHigh, wantedLow);
    while (taken[slot]) {
      if (high[slot] == wantedHigh && low[slot] == wantedLow) {
        return classes[slot];
      }
      slot = (slot + 1) & (taken.length - 1);
    }
    return 0;
  }

  private int firstSlot(long addressHigh, long addressLow) {
    long folded = addressHigh * 31 + addressLow;
    int mixed = (int) (folded ^ folded >>> Integer.SIZE) * SPREAD;
    return (mixed ^ mixed >>> 16) & (taken.length - 1);
  }

  @Override
  public RuleBitmaps bitmaps() {
    return bitmaps;
  }

  @Override
  public long memoryBytes() {
    return (2L * Long.BYTES + Character.BYTES + 1) * taken.length + bitmaps.memoryBytes();
  }
}
