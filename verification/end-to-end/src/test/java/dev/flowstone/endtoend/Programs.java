// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.ClassPathList;
import dev.flowstone.processes.JavaProgram;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Programs of ours as processes, with this test's class path; whoever starts one closes it. */
final class Programs {
  private static final String OPTIONS_FILE = "build-support/jvm.options";
  private static final Duration SHORT_RUN_LIMIT = Duration.ofMinutes(1);

  /** As the tests' own JVM: where that compiles with C1 alone, so do they. */
  private static final List<String> COMPILER =
      ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
          .filter(option -> option.startsWith("-XX:TieredStopAtLevel="))
          .toList();

  private Programs() {}

  /** A main class with the options of the launcher, and all that it leaves in the folder. */
  static JavaProgram of(Path folder, String name, String mainClass, List<String> arguments) {
    return JavaProgram.of(name, mainClass, arguments)
        // A build in the background ignores SIGINT, and so would all that it starts.
        .withLauncher("env", "--default-signal=INT", "FLOWSTONE_STATE=" + state(folder))
        // What a killed process leaves lies where the test cleans up.
        .withJvmOptions(
            "@" + ProjectRoot.find().resolve(OPTIONS_FILE), "-Djava.io.tmpdir=" + folder)
        .withJvmOptions(COMPILER.toArray(String[]::new));
  }

  /** What the launcher runs a module with, and no class besides. */
  static String classPathOf(String module) throws IOException {
    Path built = ProjectRoot.find().resolve(module).resolve("target");
    return built.resolve("classes") + ":" + ClassPathList.read(built.resolve("runtime.classpath"));
  }

  /** What they leave for later programs, apart from that of whoever runs the tests. */
  static Path state(Path folder) {
    return folder.resolve("state");
  }

  /** A program that ends by itself within a minute; returns when it has. */
  static ChildProcess run(Path folder, String mainClass, String... arguments)
      throws IOException, InterruptedException {
    String name = "run-" + System.nanoTime();
    ChildProcess process =
        ChildProcess.start(
            of(folder, name, mainClass, List.of(arguments)).withJvmOptions("-Xmx256m"),
            ChildOutput.gatheredIn(folder));
    awaitStatus(process, SHORT_RUN_LIMIT);
    return process;
  }

  /** The exit status; a process that outlives the limit is killed and fails the test. */
  static int awaitStatus(ChildProcess process, Duration limit)
      throws IOException, InterruptedException {
    if (!process.awaitEnd(limit)) {
      process.kill();
      throw new AssertionError("still running after " + limit + ":\n" + said(process));
    }
    return process.end().status();
  }

  static void requireSuccess(ChildProcess process, Duration limit)
      throws IOException, InterruptedException {
    if (awaitStatus(process, limit) != 0) {
      throw new AssertionError(process.explainEnd() + "\n" + said(process));
    }
  }

  /** All of it: the folder is gone when somebody asks why a test failed. */
  static String said(ChildProcess process) throws IOException {
    return process.output() + process.errors();
  }
}
