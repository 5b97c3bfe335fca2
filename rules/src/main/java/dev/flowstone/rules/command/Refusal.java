// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.command;

import dev.flowstone.commandline.EscapedText;
import dev.flowstone.rules.RulesFileException;

/** Prints what is wrong with a file, a line for each place, as compilers do. */
final class Refusal {
  private static final int FAILED = 1;

  private Refusal() {}

  /** The exit status. */
  static int print(RulesFileException e) {
    e.getMessage().lines().map(EscapedText::of).forEach(System.err::println);
    return FAILED;
  }
}
