// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * The name under which this host's rings are known, before and after a restart: the environment's
 * {@code FLOWSTONE_HOST}, else the host name. In containers, whose host names change, set the
 * variable to the node's name.
 */
public final class HostName {
  static final String VARIABLE = "FLOWSTONE_HOST";

  private HostName() {}

  public static String local() {
    String given = System.getenv(VARIABLE);
    if (given != null && !given.isBlank()) {
      return given;
    }
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      throw new IllegalStateException(
          "this host does not know its own name ("
              + e.getMessage()
              + "); set the environment"
              + " variable "
              + VARIABLE
              + " for the TaskManager, and where jobs are submitted",
          e);
    }
  }
}
