// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import java.nio.charset.StandardCharsets;

/**
 * What a function's bytes of a flow are, so that a savepoint is never read as something else.
 *
 * @param function its name, 1 to 32 bytes
 * @param version of the bytes' meaning
 * @param stateBytes how many they are
 * @param mayResize whether state of another number of them is restored: what there is more is cut
 *     off, what there is less is zeros
 */
public record FlowStateFormat(String function, int version, int stateBytes, boolean mayResize) {
  static final int LONGEST_NAME_BYTES = 32;

  /** Restored where its size is the same alone. */
  public FlowStateFormat(String function, int version, int stateBytes) {
    this(function, version, stateBytes, false);
  }

  public FlowStateFormat {
    int nameBytes = function.getBytes(StandardCharsets.UTF_8).length;
    if (nameBytes < 1 || nameBytes > LONGEST_NAME_BYTES) {
      throw new IllegalArgumentException(
          "a function's name has 1 to " + LONGEST_NAME_BYTES + " bytes: " + function);
    }
  }

  @Override
  public String toString() {
    return "function '" + function + "' version " + version + " with " + stateBytes + " bytes";
  }
}
