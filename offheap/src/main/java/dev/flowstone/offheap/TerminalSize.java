// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap;

import java.util.Optional;

/**
 * How large a terminal's window is.
 *
 * @param columns characters in a line
 * @param rows lines
 */
public record TerminalSize(int columns, int rows) {
  private static final int STANDARD_OUTPUT = 1;

  /** Empty: standard output is no terminal, or one that does not know. */
  public static Optional<TerminalSize> ofStandardOutput() {
    return Posix.terminalSize(STANDARD_OUTPUT)
        .filter(size -> size.columns() > 0 && size.rows() > 0);
  }
}
