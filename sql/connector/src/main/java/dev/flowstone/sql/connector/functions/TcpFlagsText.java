// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.functions;

import java.util.StringJoiner;
import org.apache.flink.table.functions.ScalarFunction;

/** {@code TCP_FLAGS_TEXT(18)}: {@code SYN,ACK}. */
public final class TcpFlagsText extends ScalarFunction {
  private static final long serialVersionUID = 1L;
  private static final String[] NAMES = {"FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR"};

  public String eval(Integer flags) {
    if (flags == null) {
      return null;
    }
    StringJoiner names = new StringJoiner(",");
    for (int bit = 0; bit < NAMES.length; bit++) {
      if ((flags >> bit & 1) != 0) {
        names.add(NAMES[bit]);
      }
    }
    return names.toString();
  }
}
