// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A JVM of its own for one side of a measurement. */
final class MeasuredProcess {
  private MeasuredProcess() {}

  /** What it says goes to the folder. */
  static ChildProcess start(String name, Path folder, String mainClass, List<String> arguments)
      throws IOException {
    return ChildProcess.start(
        JavaProgram.of(name, mainClass, arguments)
            .withJvmOptions("--enable-native-access=ALL-UNNAMED", "-Xmx512m")
            .withJvmOptions(placesOfCaptures()),
        ChildOutput.gatheredIn(folder));
  }

  /** Its traffic is made of the same captures as this process's. */
  private static String[] placesOfCaptures() {
    return Stream.of(Captures.PROPERTY, Captures.HOME)
        .filter(property -> System.getProperty(property) != null)
        .map(property -> "-D" + property + "=" + System.getProperty(property))
        .toArray(String[]::new);
  }
}
