// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs jcstress in a process of its own. */
final class JcstressRun {
  /** One JVM mode, compiled code only: about three seconds for a case. */
  static final List<String> QUICK =
      List.of(
          "-f",
          "1",
          "-fsm",
          "1",
          "-iters",
          "2",
          "-time",
          "500",
          "-sc",
          "false",
          "-jvmArgs",
          "-Xmx256m");

  private JcstressRun() {}

  /** What jcstress said; classes in {@code first}, if any, stand before the project's. */
  static String run(Path folder, List<Path> first, int limitSeconds, List<String> options)
      throws IOException, InterruptedException {
    Path output = folder.resolve("jcstress.out");
    Process process =
        new ProcessBuilder(command(folder, first, options))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    boolean ended = process.waitFor(limitSeconds, TimeUnit.SECONDS);
    if (!ended) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    String said = Files.readString(output);
    assertThat(ended).as("ended in time:\n%s", said).isTrue();
    return said;
  }

  private static List<String> command(Path folder, List<Path> first, List<String> options) {
    List<String> classPath = new ArrayList<>(first.stream().map(Path::toString).toList());
    classPath.add(System.getProperty("java.class.path"));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath)));
    command.addAll(List.of("org.openjdk.jcstress.Main", "-r", folder.toString()));
    command.addAll(options);
    return command;
  }
}
