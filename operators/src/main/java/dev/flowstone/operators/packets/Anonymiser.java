// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.FlowHash;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Puts other addresses in the place of packets' own, see {@link PrefixCipher}, and the flow hash
 * that goes with them: the old one would tell a guessed address from others. All addresses alike,
 * of whatever meaning, or two of them could become the same. Packets without IP have none.
 *
 * <p>Remembers what became of the addresses that it met lately: of each place the last one. One
 * thread.
 */
final class Anonymiser {
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong NETWORK_U64 =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);
  private static final long LOWER = 0xffff_ffffL;

  /** 512 KiB for IPv4, as much for IPv6. */
  static final int IPV4_PLACES_LOG2 = 16;

  static final int IPV6_PLACES_LOG2 = 14;
  private static final int IPV6_WORDS = 4;
  private static final long SPREAD = 0x9e37_79b9_7f4a_7c15L;
  private static final long OTHER_SPREAD = 0xc2b2_ae3d_27d4_eb4fL;

  private final PrefixCipher cipher;
  private final FlowHash flowHash = new FlowHash();

  /** An address in the upper half, what became of it in the lower half. */
  private final long[] ipv4 = new long[1 << IPV4_PLACES_LOG2];

  /** An address, and what became of it. */
  private final long[] ipv6 = new long[IPV6_WORDS << IPV6_PLACES_LOG2];

  Anonymiser(byte[] key) {
    cipher = new PrefixCipher(key);
    // What no place has held yet is address 0, so that a place needs no mark.
    Arrays.fill(ipv4, Integer.toUnsignedLong(cipher.ipv4(0)));
    remember(0, 0, 0);
    for (int place = IPV6_WORDS; place < ipv6.length; place += IPV6_WORDS) {
      System.arraycopy(ipv6, 0, ipv6, place, IPV6_WORDS);
    }
  }

  /** The same packets under other addresses, in memory of their own. */
  PacketBlock anonymous(PacketBlock packets) {
    PacketBlock copy = packets.copy();
    MemorySegment records = copy.segment();
    for (int i = 0; i < copy.count(); i++) {
      change(records, copy.offsetOf(i));
    }
    return copy;
  }

  private void change(MemorySegment records, long offset) {
    int kind = PacketRecord.kind(PacketRecord.descriptor(records, offset));
    if (!PacketRecord.isIp(kind)) {
      return;
    }
    long source = offset + PacketRecordLayout.SOURCE_ADDRESS_OFFSET;
    long destination = offset + PacketRecordLayout.DESTINATION_ADDRESS_OFFSET;
    if (PacketRecord.isIpv4(kind)) {
      changeIpv4(records, source + Long.BYTES);
      changeIpv4(records, destination + Long.BYTES);
    } else {
      changeIpv6(records, source);
      changeIpv6(records, destination);
    }
    records.set(
        U32,
        offset + PacketRecordLayout.FLOW_HASH_OFFSET,
        flowHash.hash(
            PacketRecord.sourceAddressHigh(records, offset),
            PacketRecord.sourceAddressLow(records, offset),
            PacketRecord.destinationAddressHigh(records, offset),
            PacketRecord.destinationAddressLow(records, offset),
            PacketRecord.sourcePort(records, offset),
            PacketRecord.destinationPort(records, offset),
            PacketRecord.protocol(records, offset)));
  }

  private void changeIpv4(MemorySegment records, long offset) {
    long word = records.get(NETWORK_U64, offset);
    records.set(NETWORK_U64, offset, (word & ~LOWER) | Integer.toUnsignedLong(ipv4((int) word)));
  }

  int ipv4(int address) {
    int place = (int) ((address * SPREAD) >>> (Long.SIZE - IPV4_PLACES_LOG2));
    long known = ipv4[place];
    if ((int) (known >>> Integer.SIZE) != address) {
      known = ((long) address << Integer.SIZE) | Integer.toUnsignedLong(cipher.ipv4(address));
      ipv4[place] = known;
    }
    return (int) known;
  }

  private void changeIpv6(MemorySegment records, long offset) {
    int place =
        placeOfIpv6(
            records.get(NETWORK_U64, offset), records.get(NETWORK_U64, offset + Long.BYTES));
    records.set(NETWORK_U64, offset, ipv6[place + 2]);
    records.set(NETWORK_U64, offset + Long.BYTES, ipv6[place + 3]);
  }

  /** Where stands what becomes of the address. */
  private int placeOfIpv6(long high, long low) {
    long spread = ((high * SPREAD) ^ low) * OTHER_SPREAD;
    int place = (int) (spread >>> (Long.SIZE - IPV6_PLACES_LOG2)) * IPV6_WORDS;
    if (ipv6[place] != high || ipv6[place + 1] != low) {
      remember(place, high, low);
    }
    return place;
  }

  private void remember(int place, long high, long low) {
    cipher.ipv6(high, low);
    ipv6[place] = high;
    ipv6[place + 1] = low;
    ipv6[place + 2] = cipher.high();
    ipv6[place + 3] = cipher.low();
  }
}
