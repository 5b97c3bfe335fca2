// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import java.io.Console;
import java.util.Optional;

/** Whether a person looks on: then lines are redrawn in place, else only written. */
public final class Terminal {
  private static final boolean ATTACHED =
      Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);

  private Terminal() {}

  public static boolean isAttached() {
    return ATTACHED;
  }
}
