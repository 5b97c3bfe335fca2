// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import java.util.zip.CRC32C;

/**
 * The flow hash that a record should carry: that of {@link dev.flowstone.model.FlowHash}. CRC32C is
 * linear, so the hash of a tuple is the hash of zeros XOR one table entry for each byte that is not
 * zero: a few independent loads where a running CRC would wait 37 times.
 */
final class FlowHashPrediction {
  private static final int TUPLE_BYTES = 37;

  /** Three zero bytes end what is hashed. */
  private static final int INPUT_BYTES = 40;

  private static final int SECOND_ADDRESS = 16;
  private static final int FIRST_PORT = 32;
  private static final int SECOND_PORT = 34;
  private static final int PROTOCOL = 36;
  private static final int IPV4_OFFSET = 12;

  /** High 32 bits of the low half of ::ffff:a.b.c.d. */
  private static final int IPV4_MARK = 0xffff;

  private static final int[] TABLE = new int[TUPLE_BYTES << 8];
  private static final int OF_ZEROS = crc(new byte[INPUT_BYTES]);
  private static final int OF_IPV4_ZEROS;

  static {
    final byte[] tuple = new byte[INPUT_BYTES];
    for (int at = 0; at < TUPLE_BYTES; at++) {
      for (int value = 0; value < 256; value++) {
        tuple[at] = (byte) value;
        TABLE[at << 8 | value] = crc(tuple) ^ OF_ZEROS;
      }
      tuple[at] = 0;
    }
    OF_IPV4_ZEROS =
        OF_ZEROS
            ^ word(IPV4_MARK, IPV4_OFFSET - 4)
            ^ word(IPV4_MARK, SECOND_ADDRESS + IPV4_OFFSET - 4);
  }

  private FlowHashPrediction() {}

  private static int crc(byte[] tuple) {
    final CRC32C crc = new CRC32C();
    crc.update(tuple);
    return (int) crc.getValue();
  }

  /** The hash of the tuple, whichever endpoint is A. */
  static int predict(
      long aHigh, long aLow, long bHigh, long bLow, int aPort, int bPort, int protocol) {
    return ofPair(aHigh, aLow, bHigh, bLow, protocol)
        ^ ofPorts(order(aHigh, aLow, bHigh, bLow), aPort, bPort);
  }

  /** Negative where A's address comes first in the tuple, positive where B's does. */
  static int order(long aHigh, long aLow, long bHigh, long bLow) {
    final int order = Long.compareUnsigned(aHigh, bHigh);
    return order != 0 ? order : Long.compareUnsigned(aLow, bLow);
  }

  /**
   * What the ports add to {@link #ofPair}; where addresses are equal, the lower port is first.
   * Which comes first is as good as random, so they change places without a branch.
   */
  static int ofPorts(int order, int aPort, int bPort) {
    // Negative: A is first; all addresses' orders are -1, 0 and 1.
    final int exchange = ~((2 * order + ((aPort - bPort - 1) >> 31 | 1)) >> 31);
    final int difference = (aPort ^ bPort) & exchange;
    return half(aPort ^ difference, FIRST_PORT) ^ half(bPort ^ difference, SECOND_PORT);
  }

  /** The hash of a tuple whose ports are 0, whichever host is A. */
  static int ofPair(long aHigh, long aLow, long bHigh, long bLow, int protocol) {
    final long exchange = ~((order(aHigh, aLow, bHigh, bLow) - 1) >> 31);
    final long high = (aHigh ^ bHigh) & exchange;
    final long low = (aLow ^ bLow) & exchange;
    return ordered(aHigh ^ high, aLow ^ low, bHigh ^ high, bLow ^ low, protocol);
  }

  private static int ordered(
      long firstHigh, long firstLow, long secondHigh, long secondLow, int protocol) {
    final int rest = TABLE[PROTOCOL << 8 | protocol];
    final int lowest =
        word((int) firstLow, IPV4_OFFSET) ^ word((int) secondLow, SECOND_ADDRESS + IPV4_OFFSET);
    if ((firstHigh | secondHigh) == 0
        && firstLow >>> 32 == IPV4_MARK
        && secondLow >>> 32 == IPV4_MARK) {
      return OF_IPV4_ZEROS ^ lowest ^ rest;
    }
    return OF_ZEROS
        ^ word((int) (firstHigh >>> 32), 0)
        ^ word((int) firstHigh, 4)
        ^ word((int) (firstLow >>> 32), 8)
        ^ word((int) (secondHigh >>> 32), SECOND_ADDRESS)
        ^ word((int) secondHigh, SECOND_ADDRESS + 4)
        ^ word((int) (secondLow >>> 32), SECOND_ADDRESS + 8)
        ^ lowest
        ^ rest;
  }

  private static int word(int value, int at) {
    return half(value >>> 16, at) ^ half(value & 0xffff, at + 2);
  }

  private static int half(int value, int at) {
    return TABLE[at << 8 | value >>> 8] ^ TABLE[(at + 1) << 8 | (value & 0xff)];
  }
}
