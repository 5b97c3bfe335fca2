// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import dev.flowstone.offheap.TerminalSize;
import java.io.Console;
import java.util.Optional;

/** Whether a person looks on: then lines are redrawn in place, else only written. */
public final class Terminal {
  private static final boolean ATTACHED =
      Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);

  /** Of one that does not say: what its lines held before there were windows. */
  private static final TerminalSize USUAL = new TerminalSize(80, 24);

  private Terminal() {}

  public static boolean isAttached() {
    return ATTACHED;
  }

  /** As it is now: its window may change at any moment. */
  public static TerminalSize size() {
    return TerminalSize.ofStandardOutput().orElse(USUAL);
  }
}
