// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.server;

import dev.flowstone.deployment.LocalPort;
import java.io.IOException;
import java.util.Optional;

/**
 * A port of a server.
 *
 * @param name of the option
 * @param chosen by the user; 0: any free one
 */
record PortOption(String name, Optional<Integer> chosen, int standard) {

  int requireFree() throws IOException {
    return LocalPort.requireFree(chosen.orElse(standard), name).number();
  }

  /** Whether a server that runs at this port is the one that the user wants. */
  boolean accepts(int port) {
    return chosen.filter(wanted -> wanted != 0 && wanted != port).isEmpty();
  }
}
