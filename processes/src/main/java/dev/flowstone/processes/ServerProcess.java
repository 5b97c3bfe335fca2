// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import java.io.IOException;

/**
 * A server in a child process. The caller that starts it closes it. Any thread may call any method.
 */
public interface ServerProcess extends AutoCloseable {

  ProcessHandle handle();

  /** Throws with the reason if the server has ended. */
  void requireRunning() throws IOException;

  /** Stops the server and returns when its process has ended. */
  @Override
  void close();
}
