// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.user;

import dev.flowstone.results.LineResult;
import java.util.Set;

/** What a user's function may call its results: as none of Flowstone's is called. */
final class AllowedKind {
  private static final Set<String> TAKEN =
      Set.of("alert", "flow_record", "histogram", "stage", "syn_window");

  private AllowedKind() {}

  /** Throws for another; readers and tables could not tell them apart. */
  static void require(String kind) {
    if (TAKEN.contains(kind)) {
      throw new IllegalArgumentException("results of kind " + kind + " are Flowstone's own");
    }
    if (!LineResult.isName(kind)) {
      throw new IllegalArgumentException(
          "a kind of results is a name in snake_case, of 100 characters at most, not " + kind);
    }
  }
}
