// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.io.IOException;

/** Somebody listens there already, since long or since a moment ago. */
final class PortTakenException extends IOException {
  private static final long serialVersionUID = 1L;

  PortTakenException(int port, String option, Throwable cause) {
    super("port " + port + " is taken; choose another with " + option, cause);
  }
}
