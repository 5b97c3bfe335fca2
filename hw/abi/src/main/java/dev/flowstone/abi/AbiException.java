// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.List;

/**
 * The YAML files do not describe a usable set of layouts; the message has one line for each
 * problem.
 */
public final class AbiException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  AbiException(String problem) {
    super(problem);
  }

  AbiException(List<String> problems) {
    super(String.join(System.lineSeparator(), problems));
  }
}
