// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import dev.flowstone.model.AddressText;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.rules.function.Histogram.Per;
import dev.flowstone.rules.function.PrefixLengths;
import java.lang.foreign.MemorySegment;

/** Finds the prefix of a packet; one that is used again for each. One thread. */
final class AddressPrefix {
  private static final int NO_IP = 0;
  private static final int IPV4 = 4;
  private static final int IPV6 = 6;
  private static final int IPV4_BITS = 32;

  private final Per per;
  private final PrefixLengths lengths;
  private final long ipv4Mask;
  private final long ipv6HighMask;
  private final long ipv6LowMask;

  long high;
  long low;
  int version;

  AddressPrefix(Per per, PrefixLengths lengths) {
    this.per = per;
    this.lengths = lengths;
    ipv4Mask = mask(lengths.ipv4Bits() + IPV4_BITS);
    ipv6HighMask = mask(Math.min(Long.SIZE, lengths.ipv6Bits()));
    ipv6LowMask = mask(Math.max(0, lengths.ipv6Bits() - Long.SIZE));
  }

  private static long mask(int bits) {
    return bits == 0 ? 0 : -1L << (Long.SIZE - bits);
  }

  /** Of a packet's record; where prefixes do not matter, all packets have the same. */
  void read(MemorySegment records, long at) {
    if (!per.isPrefix()) {
      return;
    }
    int kind = PacketRecord.kind(PacketRecord.descriptor(records, at));
    if (kind == RecordKind.OTHER) {
      set(NO_IP, 0, 0);
    } else if (per == Per.SOURCE_PREFIX) {
      cut(
          PacketRecord.isIpv4(kind),
          PacketRecord.sourceAddressHigh(records, at),
          PacketRecord.sourceAddressLow(records, at));
    } else {
      cut(
          PacketRecord.isIpv4(kind),
          PacketRecord.destinationAddressHigh(records, at),
          PacketRecord.destinationAddressLow(records, at));
    }
  }

  private void cut(boolean ipv4, long addressHigh, long addressLow) {
    if (ipv4) {
      set(IPV4, addressHigh, addressLow & ipv4Mask);
    } else {
      set(IPV6, addressHigh & ipv6HighMask, addressLow & ipv6LowMask);
    }
  }

  private void set(int newVersion, long newHigh, long newLow) {
    version = newVersion;
    high = newHigh;
    low = newLow;
  }

  /** As it is written; nothing where prefixes do not matter. */
  String text(int ofVersion, long ofHigh, long ofLow) {
    if (!per.isPrefix()) {
      return "";
    }
    return switch (ofVersion) {
      case IPV4 -> AddressText.of(ofHigh, ofLow, true) + "/" + lengths.ipv4Bits();
      case IPV6 -> AddressText.of(ofHigh, ofLow, false) + "/" + lengths.ipv6Bits();
      default -> HistogramSubject.NO_IP;
    };
  }
}
