// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.Comparator;
import java.util.List;

/** Draws the bits of one scalar, the highest on the left, as wide as their names need. */
final class BitDiagram {
  private BitDiagram() {}

  static String draw(Field field) {
    List<BitRange> ranges =
        field.bits().stream().sorted(Comparator.comparingInt(BitRange::low).reversed()).toList();
    StringBuilder border = new StringBuilder("+");
    StringBuilder spans = new StringBuilder("|");
    StringBuilder names = new StringBuilder("|");
    for (BitRange range : ranges) {
      int width = Math.max(range.name().length(), range.span().length());
      border.append("-".repeat(width + 2)).append('+');
      spans.append(cell(range.span(), width));
      names.append(cell(range.name(), width));
    }
    return String.join("\n", border, spans, names, border) + "\n";
  }

  private static String cell(String text, int width) {
    return " " + text + " ".repeat(width - text.length()) + " |";
  }
}
