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
import java.util.SplittableRandom;

/**
 * A packet's source or destination under one mask that is no prefix's, looked up by its hash: in
 * slots of one address each, if not too many are needed, else in buckets of a few, all of which are
 * compared, as nobody can foretell which one it is.
 */
final class MaskedAddressField implements Field {
  private static final int BUCKET = 4;

  /** Slots of one address each that fit into caches beside the rest. */
  private static final int MOST_SINGLE_BITS = 12;

  /** Sixteen times as many buckets as there can be rules: by chance hardly one overflows. */
  private static final int MOST_BUCKET_BITS = 16;

  private final int fieldOffsetBytes;
  private final AddressMatch mask;

  /**
   * Upper and lower half of each address; where there is none, bits that the mask does not have.
   */
  private final long[] addresses;

  private final char[] classes;

  /** Addresses of a bucket: one, or {@link #BUCKET}. */
  private final int bucketSize;

  /** How far the hash is shifted, so that the number of a bucket is left. */
  private final int bucketShift;

  /** Odd, and drawn by lot: nobody can choose addresses that share a bucket. */
  private final long factor;

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
    Buckets buckets = Buckets.of(List.copyOf(rules.keySet()));
    bucketSize = buckets.size;
    bucketShift = Long.SIZE - buckets.bits;
    factor = buckets.factor;
    classes = new char[bucketSize << buckets.bits];
    addresses = new long[2 * classes.length];
    for (int i = 0; i < addresses.length; i += 2) {
      addresses[i] = ~mask.maskHigh();
      addresses[i + 1] = ~mask.maskLow();
    }
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

  /** As few as no address is left over with. */
  private record Buckets(int size, int bits, long factor) {
    static Buckets of(List<AddressMatch> addresses) {
      SplittableRandom random = new SplittableRandom(System.nanoTime());
      for (int bits = 1; bits <= MOST_SINGLE_BITS; bits++) {
        Buckets single = new Buckets(1, bits, random.nextLong() | 1);
        if (single.haveRoomFor(addresses)) {
          return single;
        }
      }
      for (int bits = 1; ; bits = Math.min(bits + 1, MOST_BUCKET_BITS)) {
        Buckets some = new Buckets(BUCKET, bits, random.nextLong() | 1);
        if (some.haveRoomFor(addresses)) {
          return some;
        }
      }
    }

    private boolean haveRoomFor(List<AddressMatch> addresses) {
      int[] counts = new int[1 << bits];
      for (AddressMatch address : addresses) {
        long hash = hash(address.high(), address.low(), factor);
        if (++counts[(int) (hash >>> (Long.SIZE - bits))] > size) {
          return false;
        }
      }
      return true;
    }
  }

  private void put(AddressMatch address, char number) {
    int slot = firstSlot(address.high(), address.low());
    while (addresses[2 * slot + 1] != ~mask.maskLow() || addresses[2 * slot] != ~mask.maskHigh()) {
      slot++;
    }
    addresses[2 * slot] = address.high();
    addresses[2 * slot + 1] = address.low();
    classes[slot] = number;
  }

  @Override
  public void find(MemorySegment records, long offsetBytes, int count, char[] found) {
    final long maskHigh = mask.maskHigh();
    final long maskLow = mask.maskLow();
    final boolean ipv4 = mask.ipv4();
    for (int i = 0; i < count; i++) {
      long record = offsetBytes + (long) i * RECORD_BYTES;
      long high = records.get(AddressField.NETWORK_U64, record + fieldOffsetBytes) & maskHigh;
      long low =
          records.get(AddressField.NETWORK_U64, record + fieldOffsetBytes + Long.BYTES) & maskLow;
      int kind = PacketRecord.kind(PacketRecord.descriptor(records, record));
      found[i] = (char) (classOf(high, low) & (PacketRecord.isIpv4(kind) == ipv4 ? -1 : 0));
    }
  }

  /** 0 is the class of addresses that no rule names. No branch: it would be foretold badly. */
  private int classOf(long high, long low) {
    int slot = firstSlot(high, low);
    if (bucketSize == 1) {
      return classAt(slot, high, low);
    }
    return classAt(slot, high, low)
        | classAt(slot + 1, high, low)
        | classAt(slot + 2, high, low)
        | classAt(slot + 3, high, low);
  }

  private int classAt(int slot, long high, long low) {
    long difference = (addresses[2 * slot] ^ high) | (addresses[2 * slot + 1] ^ low);
    int isOther = (int) ((difference | -difference) >> (Long.SIZE - 1));
    return classes[slot] & ~isOther;
  }

  private int firstSlot(long high, long low) {
    return (int) (hash(high, low, factor) >>> bucketShift) * bucketSize;
  }

  private static long hash(long high, long low, long factor) {
    long folded = (high ^ (high >>> Integer.SIZE)) * factor + low;
    return (folded ^ (folded >>> Integer.SIZE)) * factor;
  }

  @Override
  public RuleBitmaps bitmaps() {
    return bitmaps;
  }

  @Override
  public long memoryBytes() {
    return (2L * Long.BYTES + Character.BYTES) * classes.length + bitmaps.memoryBytes();
  }
}
