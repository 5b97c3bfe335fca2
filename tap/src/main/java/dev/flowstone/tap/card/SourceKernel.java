// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.model.abi.CardSourceRegistersLayout;

/** The kernel that stands in for a port's cable. */
final class SourceKernel extends CardKernel {
  private static final int READ_FAILED =
      CardSourceRegistersLayout.READ_FAILED_MASK << CardSourceRegistersLayout.READ_FAILED_SHIFT;
  private static final int CUT_SHORT =
      CardSourceRegistersLayout.CUT_SHORT_MASK << CardSourceRegistersLayout.CUT_SHORT_SHIFT;

  SourceKernel(String name, Registers registers) {
    super(name, KernelLayout.SOURCE, registers);
  }

  void setGap(int cycles) {
    registers().write(CardSourceRegistersLayout.GAP_CYCLES_OFFSET, cycles);
  }

  /**
   * One thread, as of each kernel.
   *
   * @param wantedPackets what it was started for
   */
  CardSourceCounters counters(long wantedPackets) {
    long sentPackets = registers().counter(CardSourceRegistersLayout.SENT_PACKETS_OFFSET);
    long sentBytes = registers().counter(CardSourceRegistersLayout.SENT_BYTES_OFFSET);
    int status = registers().read(CardSourceRegistersLayout.STATUS_OFFSET);
    return new CardSourceCounters(
        wantedPackets,
        sentPackets,
        sentBytes,
        (status & READ_FAILED) != 0,
        (status & CUT_SHORT) != 0);
  }
}
