// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.function;

import java.util.Optional;

/**
 * Every packet goes on.
 *
 * @param anonymiseKey name of the key under which addresses are made anonymous, their prefixes
 *     kept; the key itself is the operator's and never in a rules file
 */
public record Pass(Optional<String> anonymiseKey) implements ServiceFunction {
  public Pass {
    anonymiseKey.ifPresent(KeyName::require);
  }

  /** Without changing an address. */
  public static Pass unchanged() {
    return new Pass(Optional.empty());
  }

  @Override
  public String name() {
    return "pass";
  }
}
