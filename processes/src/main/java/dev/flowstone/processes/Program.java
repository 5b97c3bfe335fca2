// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import java.nio.file.Path;
import java.util.List;

/** What becomes a child process. */
public sealed interface Program permits JavaProgram, NativeProgram {
  /** What messages and files call the process. */
  String name();

  /**
   * What is run, and its arguments.
   *
   * @param crashReport where a JVM says why it crashed
   */
  List<String> command(Path crashReport);
}
