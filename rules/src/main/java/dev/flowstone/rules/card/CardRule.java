// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.card;

import dev.flowstone.model.abi.CardRuleKeyLayout;
import dev.flowstone.model.abi.CardRuleLayout;

/**
 * A rule as the card holds it: a packet meets it when (record AND mask) = value, for the bytes that
 * {@code card_rule_key} has of it. Immutable.
 */
public final class CardRule {
  private final byte[] value;
  private final byte[] mask;
  private final int trafficClass;
  private final boolean drops;

  /**
   * A rule of 44 bytes.
   *
   * @param trafficClass what the record says of the packet
   * @param drops whether the packet is dropped, and counted as filtered
   */
  public CardRule(byte[] value, byte[] mask, int trafficClass, boolean drops) {
    if (value.length != CardRuleKeyLayout.SIZE_BYTES
        || mask.length != CardRuleKeyLayout.SIZE_BYTES) {
      throw new IllegalArgumentException(
          "a rule has " + CardRuleKeyLayout.SIZE_BYTES + " bytes of value and of mask");
    }
    if (trafficClass < 0 || trafficClass > CardRuleLayout.TRAFFIC_CLASS_MASK) {
      throw new IllegalArgumentException(
          "traffic class must be 0 to " + CardRuleLayout.TRAFFIC_CLASS_MASK + ": " + trafficClass);
    }
    this.value = value.clone();
    this.mask = mask.clone();
    this.trafficClass = trafficClass;
    this.drops = drops;
  }

  /** A copy of what the bits have to be. */
  public byte[] value() {
    return value.clone();
  }

  /** A copy of which bits are looked at. */
  public byte[] mask() {
    return mask.clone();
  }

  public int trafficClass() {
    return trafficClass;
  }

  public boolean drops() {
    return drops;
  }

  /** The word that says what becomes of the packet. */
  public int verdict() {
    return trafficClass << CardRuleLayout.TRAFFIC_CLASS_SHIFT
        | (drops ? 1 : 0) << CardRuleLayout.DROPS_SHIFT
        | 1 << CardRuleLayout.VALID_SHIFT;
  }
}
