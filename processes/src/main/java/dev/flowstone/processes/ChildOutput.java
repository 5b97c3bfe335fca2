// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import java.nio.file.Path;

/**
 * Where what a child says is kept: {@code NAME.out}, {@code NAME.err} and, should its JVM crash,
 * {@code NAME.crash} in a folder of its parent's.
 *
 * @param isPiped whether the parent reads standard output itself, so that no file has it
 */
public record ChildOutput(Path folder, boolean isPiped) {

  public ChildOutput {
    folder = folder.toAbsolutePath();
  }

  /** All that it says is gathered in files. */
  public static ChildOutput gatheredIn(Path folder) {
    return new ChildOutput(folder, false);
  }

  /** Its standard output is for {@link ChildProcess#answers}; errors are gathered. */
  public static ChildOutput answeringBeside(Path folder) {
    return new ChildOutput(folder, true);
  }

  Path outputFile(String name) {
    return folder.resolve(name + ".out");
  }

  Path errorFile(String name) {
    return folder.resolve(name + ".err");
  }

  Path crashReport(String name) {
    return folder.resolve(name + ".crash");
  }
}
