// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** An example as bytes, and what each of them says. */
final class EncodedExample {
  private final byte[] bytes;
  private final List<Row> rows;

  EncodedExample(byte[] bytes, List<Row> rows) {
    this.bytes = bytes.clone();
    this.rows = List.copyOf(rows);
  }

  /**
   * Some bytes of the example: whose they are and what they mean. Rows follow each other without
   * gap.
   */
  record Row(long offset, long lengthBytes, String name, String meaning) {}

  byte[] bytes() {
    return bytes.clone();
  }

  List<Row> rows() {
    return rows;
  }

  /** The first bytes of a row, at most {@code shownBytes}. */
  String hex(Row row, int shownBytes) {
    int from = Math.toIntExact(row.offset());
    int to = from + (int) Math.min(row.lengthBytes(), shownBytes);
    String digits = HexFormat.ofDelimiter(" ").formatHex(Arrays.copyOfRange(bytes, from, to));
    return row.lengthBytes() > shownBytes ? digits + " …" : digits;
  }
}
