// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import java.nio.charset.StandardCharsets;

/**
 * What a function's bytes of a flow are, so that a savepoint is never read as something else.
 *
 * @param function its name, 1 to 32 bytes
 * @param version of the bytes' meaning
 * @param stateBytes how many they are
 */
public record FlowStateFormat(String function, int version, int stateBytes) {
  static final int LONGEST_NAME_BYTES = 32;

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
