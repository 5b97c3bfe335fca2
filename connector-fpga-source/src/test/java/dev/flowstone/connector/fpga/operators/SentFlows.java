// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.operators;

import dev.flowstone.model.FlowTuple;

/** Flows that somebody may send, each by its number. */
enum SentFlows {
  SCAN_OF_ADDRESSES,
  SCAN_OF_NETWORKS,
  SCAN_OF_PORTS,
  EACH_PROTOCOL,
  SUBSETS_OF_BITS,

  /**
   * Against a hash that goes on by {@code p = (hash ^ word) * odd; hash = p ^ p >>> 32}: the top
   * bit of a word moves bits 63 and 31 of the hash, which the same two bits of the next word take
   * back, whatever it began with. By three such steps 8 flows share a slot; by six top bits of the
   * last address and of the source port, 64 by 64 flows in 64 slots, 512 do.
   */
  BITS_THAT_CANCEL;

  private static final FlowTuple ANY =
      new FlowTuple(0x2001_0db8_0000_0001L, 1, 0x2001_0db8_0000_0002L, 2, 5_000, 443, 6, false);

  FlowTuple flow(int number) {
    return switch (this) {
      case SCAN_OF_ADDRESSES -> changed(0, 0, 0, number, 0, 0);
      case SCAN_OF_NETWORKS -> changed(0, 0, 0, (long) number << 32, 0, 0);
      case SCAN_OF_PORTS -> changed(0, 0, 0, 0, number, 0);
      case EACH_PROTOCOL -> changed(0, 0, 0, number >>> 8, 0, number & 0xff);
      case SUBSETS_OF_BITS ->
          changed(
              topBits(number, 4),
              topBits(number >>> 4, 4),
              topBits(number >>> 8, 4),
              topBits(number >>> 12, 4),
              0,
              0);
      case BITS_THAT_CANCEL -> cancelling(number);
    };
  }

  private static FlowTuple cancelling(long number) {
    long first = number & 1;
    long second = number >>> 1 & 1;
    long third = number >>> 2 & 1;
    return changed(
        first << 63,
        takeBack(first) ^ second << 63,
        takeBack(second) ^ third << 63,
        takeBack(third) ^ topBits(number >>> 3, 6),
        (int) (number >>> 9 & 0x3f) << 10,
        0);
  }

  private static long takeBack(long bit) {
    return bit << 63 | bit << 31;
  }

  private static long topBits(long number, int count) {
    return number << (Long.SIZE - count);
  }

  /** Any flow but for these bits of it. */
  private static FlowTuple changed(
      long sourceHigh,
      long sourceLow,
      long destinationHigh,
      long destinationLow,
      int sourcePort,
      int protocol) {
    return new FlowTuple(
        ANY.sourceHigh() ^ sourceHigh,
        ANY.sourceLow() ^ sourceLow,
        ANY.destinationHigh() ^ destinationHigh,
        ANY.destinationLow() ^ destinationLow,
        ANY.sourcePort() ^ sourcePort,
        ANY.destinationPort(),
        ANY.protocol() ^ protocol,
        false);
  }
}
