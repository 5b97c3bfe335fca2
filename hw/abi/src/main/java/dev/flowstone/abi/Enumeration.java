// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.List;

/** Numbers with names. */
record Enumeration(String name, String doc, List<Value> values) {
  Enumeration {
    values = List.copyOf(values);
  }

  record Value(String name, int value, String doc) {}
}
