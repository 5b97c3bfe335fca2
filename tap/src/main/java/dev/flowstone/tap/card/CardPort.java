// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.model.abi.CardTapRegistersLayout;

/** A port of the card: the kernel that makes records of its frames. */
final class CardPort extends CardKernel {
  CardPort(String name, Registers registers) {
    super(name, KernelLayout.TAP, registers);
  }

  void setTime(long timeNs) {
    registers().write(CardTapRegistersLayout.TIME_SET_HIGH_OFFSET, (int) (timeNs >>> Integer.SIZE));
    registers().write(CardTapRegistersLayout.TIME_SET_LOW_OFFSET, (int) timeNs);
  }

  long timeNs() {
    return registers().counter(CardTapRegistersLayout.TIME_NS_OFFSET);
  }

  /** What a clock cycle adds to the time: nanoseconds, and 28 bits of fractions. */
  int timeIncrement() {
    return registers().read(CardTapRegistersLayout.TIME_INCREMENT_OFFSET);
  }

  void setTimeIncrement(int increment) {
    registers().write(CardTapRegistersLayout.TIME_INCREMENT_OFFSET, increment);
  }

  /** Writes the ring of each key group. */
  void setRings(byte[] ringOfKeyGroup) {
    registers().write(CardTapRegistersLayout.TABLE_ADDRESS_OFFSET, 0);
    for (byte ring : ringOfKeyGroup) {
      registers().write(CardTapRegistersLayout.TABLE_RING_OFFSET, Byte.toUnsignedInt(ring));
    }
  }

  /**
   * Sent and dropped before received, so that what was dealt with was received, also here. One
   * thread: reading a counter holds back the high word of the one read last.
   */
  PortCounters counters() {
    long sent = counter(CardTapRegistersLayout.SENT_PACKETS_OFFSET);
    long overflowed = counter(CardTapRegistersLayout.OVERFLOWED_PACKETS_OFFSET);
    long filtered = counter(CardTapRegistersLayout.FILTERED_PACKETS_OFFSET);
    long bad = counter(CardTapRegistersLayout.BAD_PACKETS_OFFSET);
    long bytes = counter(CardTapRegistersLayout.RECEIVED_BYTES_OFFSET);
    long received = counter(CardTapRegistersLayout.RECEIVED_PACKETS_OFFSET);
    return new PortCounters(received, bytes, bad, filtered, overflowed, sent);
  }

  private long counter(long offset) {
    return registers().counter(offset);
  }
}
