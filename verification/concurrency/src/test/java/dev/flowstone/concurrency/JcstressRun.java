// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs jcstress in a process of its own. */
final class JcstressRun {
  /**
   * One JVM mode, compiled code only. With the number of processors given, jcstress does not load
   * them to count them. Heap pre-touch is off, because most of its JVMs run for about a second.
   * They inherit the options of the JVM that jcstress runs in.
   */
  static final List<String> QUICK =
      List.of(
          "-f",
          "1",
          "-fsm",
          "1",
          "-iters",
          "1",
          "-time",
          "200",
          "-c",
          "2",
          "-pth",
          "false",
          "-sc",
          "false",
          "-jvmArgs",
          "-Xmx256m -XX:+UseSerialGC");

  private JcstressRun() {}

  /**
   * What jcstress said; classes in {@code first}, if any, stand before the project's. However this
   * ends, jcstress does not live on.
   */
  static String run(Path folder, List<Path> first, int limitSeconds, List<String> options)
      throws IOException, InterruptedException {
    try (ChildProcess jcstress =
        ChildProcess.start(program(folder, first, options), ChildOutput.gatheredIn(folder))) {
      boolean ended = jcstress.awaitEnd(Duration.ofSeconds(limitSeconds));
      if (!ended) {
        // Its own children end after it, but not one that a case keeps busy for ever.
        jcstress.handle().descendants().forEach(ProcessHandle::destroyForcibly);
      }
      String said = jcstress.output() + jcstress.errors();
      assertThat(ended).as("ended in time:\n%s", said).isTrue();
      return said;
    }
  }

  /** Its results lie in the folder where it works, whatever folder it is given for its report. */
  private static JavaProgram program(Path folder, List<Path> first, List<String> options) {
    List<String> arguments = new ArrayList<>(List.of("-r", folder.toString()));
    arguments.addAll(options);
    return JavaProgram.of("jcstress", "org.openjdk.jcstress.Main", arguments)
        .withFirst(first)
        .withLauncher("env", "--chdir=" + folder);
  }
}
