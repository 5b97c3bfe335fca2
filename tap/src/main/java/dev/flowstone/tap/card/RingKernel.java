// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.model.abi.CardRingRegistersLayout;
import dev.flowstone.model.abi.CardRingStateLayout;

/** The kernel that writes the card's rings. */
final class RingKernel extends CardKernel {
  RingKernel(String name, Registers registers) {
    super(name, KernelLayout.RINGS, registers);
  }

  /** How many rings it was started with. */
  int ringCount() {
    return registers().read(CardRingRegistersLayout.RING_COUNT_OFFSET);
  }

  /** Packets that came from the ports since it was started, whether or not they met their ring. */
  long metPackets() {
    long met = misdirectedPackets();
    for (int ring = 0; ring < ringCount(); ring++) {
      met +=
          registers()
              .counter(
                  CardRingRegistersLayout.RINGS_OFFSET
                      + ring * CardRingStateLayout.SIZE_BYTES
                      + CardRingStateLayout.OFFERED_PACKETS_OFFSET);
    }
    return met;
  }

  /** Packets that met no ring: theirs is not there, or they came while none took any. */
  long misdirectedPackets() {
    return registers().counter(CardRingRegistersLayout.MISDIRECTED_PACKETS_OFFSET)
        + registers().counter(CardRingRegistersLayout.DISCARDED_PACKETS_OFFSET);
  }
}
