// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.function;

import java.util.regex.Pattern;

/** What a rules file calls a key that it does not hold. */
final class KeyName {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  private KeyName() {}

  static void require(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a key's name has 1 to 64 letters, digits, dots, hyphens and underscores and begins with"
              + " a letter or digit: "
              + name);
    }
  }
}
