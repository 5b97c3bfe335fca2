// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.function;

/** No packet goes on; they are counted as dropped by this rule. */
public record Drop() implements ServiceFunction {
  @Override
  public String name() {
    return "drop";
  }
}
