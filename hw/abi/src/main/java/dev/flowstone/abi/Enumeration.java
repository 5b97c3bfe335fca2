// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.List;
import java.util.Set;

/**
 * Numbers with names.
 *
 * @param flags whether each value is a bit of a word that may have several
 * @param named whether Java gets the names as text, too
 */
record Enumeration(
    String name,
    String doc,
    boolean flags,
    boolean named,
    Set<Language> languages,
    List<Value> values) {
  Enumeration {
    languages = Set.copyOf(languages);
    values = List.copyOf(values);
  }

  record Value(String name, int value, String doc) {}
}
