// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import org.junit.jupiter.api.Tag;

/** The same faults with AMD's library. */
@Tag("slow")
class AmdCardFaultTest extends CardFaultTest {
  @Override
  CardLane lane() {
    return CardLane.AMD;
  }
}
