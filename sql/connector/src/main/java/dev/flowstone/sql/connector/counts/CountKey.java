// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.counts;

import dev.flowstone.model.AddressText;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.sql.connector.packets.PacketColumn;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;

/**
 * What packets are counted by, in words: the interval, which of the columns there are, and their
 * values, of which an address takes two.
 */
final class CountKey implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final int INTERVAL_WORD = 0;
  private static final int PRESENT_WORD = 1;
  private static final int FIRST_VALUE_WORD = 2;

  /** In the word of what is present, above the columns' bits. */
  private static final long IS_IPV4 = 1L << 63;

  private final PacketColumn[] columns;
  private final int[] firstWords;
  private final int words;
  private final boolean hasAddress;

  /**
   * @param columns in any order, at most 63
   */
  CountKey(PacketColumn... columns) {
    this.columns = columns.clone();
    firstWords = new int[columns.length];
    int next = FIRST_VALUE_WORD;
    boolean anyAddress = false;
    for (int i = 0; i < columns.length; i++) {
      firstWords[i] = next;
      next += columns[i].isAddress() ? 2 : 1;
      anyAddress |= columns[i].isAddress();
    }
    words = next;
    hasAddress = anyAddress;
  }

  int words() {
    return words;
  }

  /** Whether packets of one interval all have one key. */
  boolean isOfTimeAlone() {
    return columns.length == 0;
  }

  /** Fills in the key of all packets of an interval, if it {@link #isOfTimeAlone()}. */
  void readTime(long interval, long[] into) {
    into[INTERVAL_WORD] = interval;
    into[PRESENT_WORD] = 0;
  }

  /** Fills in a packet's key. */
  void read(MemorySegment records, long at, long baseNs, long interval, long[] into) {
    long present = hasAddress && isIpv4(records, at) ? IS_IPV4 : 0;
    for (int i = 0; i < columns.length; i++) {
      PacketColumn column = columns[i];
      int word = firstWords[i];
      if (!column.isPresent(records, at)) {
        into[word] = 0;
        if (column.isAddress()) {
          into[word + 1] = 0;
        }
        continue;
      }
      present |= 1L << i;
      if (column.isAddress()) {
        into[word] = column.addressHigh(records, at);
        into[word + 1] = column.addressLow(records, at);
      } else {
        into[word] = column.number(records, at, baseNs);
      }
    }
    into[INTERVAL_WORD] = interval;
    into[PRESENT_WORD] = present;
  }

  private static boolean isIpv4(MemorySegment records, long at) {
    return PacketRecord.isIpv4(PacketRecord.kind(PacketRecord.descriptor(records, at)));
  }

  static long interval(CountTable table, int entry) {
    return table.keyWord(entry, INTERVAL_WORD);
  }

  static boolean isPresent(CountTable table, int entry, int column) {
    return (table.keyWord(entry, PRESENT_WORD) >> column & 1) != 0;
  }

  long number(CountTable table, int entry, int column) {
    return table.keyWord(entry, firstWords[column]);
  }

  String addressText(CountTable table, int entry, int column) {
    return AddressText.of(
        table.keyWord(entry, firstWords[column]),
        table.keyWord(entry, firstWords[column] + 1),
        (table.keyWord(entry, PRESENT_WORD) & IS_IPV4) != 0);
  }
}
