// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.Arrays;
import java.util.HexFormat;

/** Bytes as {@code hexdump -C} shows them: sixteen to a line, equal lines once and a star. */
final class HexDump {
  private static final int LINE_BYTES = 16;
  private static final HexFormat SPACED = HexFormat.ofDelimiter(" ");

  private HexDump() {}

  static String of(byte[] bytes) {
    StringBuilder out = new StringBuilder();
    byte[] previous = null;
    boolean starred = false;
    for (int offset = 0; offset < bytes.length; offset += LINE_BYTES) {
      byte[] line = Arrays.copyOfRange(bytes, offset, Math.min(offset + LINE_BYTES, bytes.length));
      if (Arrays.equals(line, previous)) {
        out.append(starred ? "" : "*\n");
        starred = true;
      } else {
        out.append("%08x  %-47s  |%s|%n".formatted(offset, SPACED.formatHex(line), ascii(line)));
        starred = false;
      }
      previous = line;
    }
    return out.append("%08x%n".formatted(bytes.length)).toString().replace("\r\n", "\n");
  }

  private static String ascii(byte[] line) {
    StringBuilder text = new StringBuilder();
    for (byte value : line) {
      text.append(value >= ' ' && value < 0x7f ? (char) value : '.');
    }
    return text.toString();
  }
}
