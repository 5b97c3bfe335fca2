// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.model.abi.CardRuleKeyLayout;
import dev.flowstone.model.abi.CardRuleLayout;
import dev.flowstone.model.abi.CardTapRegistersLayout;
import dev.flowstone.rules.card.CardRule;
import java.util.List;

/**
 * The rules of a card, the first that a packet meets counting.
 *
 * @param rules at most {@link CardRuleLayout#COUNT}
 */
public record CardRuleTable(List<CardRule> rules) {
  /** Every packet has class 0. */
  public static final CardRuleTable EMPTY = new CardRuleTable(List.of());

  public CardRuleTable {
    rules = List.copyOf(rules);
    if (rules.size() > CardRuleLayout.COUNT) {
      throw new IllegalArgumentException(
          "the card holds " + CardRuleLayout.COUNT + " rules: " + rules.size());
    }
  }

  /** While they are written none is looked at: packets of that moment have class 0. */
  void writeTo(CardPort port) {
    Registers registers = port.registers();
    registers.write(CardTapRegistersLayout.CLASSIFYING_OFFSET, 0);
    for (int i = 0; i < CardRuleLayout.COUNT; i++) {
      long at = CardTapRegistersLayout.RULES_OFFSET + i * CardRuleLayout.SIZE_BYTES;
      if (i < rules.size()) {
        CardRule rule = rules.get(i);
        writeBytes(registers, at + CardRuleLayout.VALUE_OFFSET, rule.value());
        writeBytes(registers, at + CardRuleLayout.MASK_OFFSET, rule.mask());
        registers.write(at + CardRuleLayout.VERDICT_OFFSET, rule.verdict());
      } else {
        registers.write(at + CardRuleLayout.VERDICT_OFFSET, 0);
      }
    }
    registers.write(CardTapRegistersLayout.CLASSIFYING_OFFSET, rules.isEmpty() ? 0 : 1);
  }

  private static void writeBytes(Registers registers, long at, byte[] bytes) {
    for (int i = 0; i < CardRuleKeyLayout.SIZE_BYTES; i += Integer.BYTES) {
      int word = 0;
      for (int b = Integer.BYTES - 1; b >= 0; b--) {
        word = word << Byte.SIZE | Byte.toUnsignedInt(bytes[i + b]);
      }
      registers.write(at + i, word);
    }
  }
}
