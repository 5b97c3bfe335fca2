// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.programs;

import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.ClassPathList;
import dev.flowstone.processes.JavaProgram;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Programs as processes. The caller closes them. A program of a module that can be run has the
 * class path of this module; another program has the class path of this test.
 */
public final class Programs {
  private static final String OPTIONS_FILE = "build-support/jvm.options";
  private static final String CLASS_PATH_LIST = "runtime.classpath";
  private static final Duration SHORT_RUN_LIMIT = Duration.ofMinutes(1);

  private Programs() {}

  /** A main class with the options of the launcher, and all that it leaves in the folder. */
  public static JavaProgram of(Path folder, String name, String mainClass, List<String> arguments) {
    return JavaProgram.of(name, mainClass, arguments)
        .withClassPath(classPathFor(mainClass))
        // A build in the background ignores SIGINT, and so would all that it starts.
        .withLauncher("env", "--default-signal=INT", "FLOWSTONE_STATE=" + state(folder))
        // What a killed process leaves lies where the test cleans up.
        .withJvmOptions(
            "@" + ProjectRoot.find().resolve(OPTIONS_FILE), "-Djava.io.tmpdir=" + folder);
  }

  /** The jar of the class and the list of jars beside this jar, as the launcher has them. */
  private static String classPathFor(String mainClass) {
    try {
      Path jar = placeOf(mainClass);
      Path list = jar.resolveSibling(CLASS_PATH_LIST);
      return Files.exists(list)
          ? jar + File.pathSeparator + ClassPathList.read(list)
          : System.getProperty("java.class.path");
    } catch (ReflectiveOperationException | URISyntaxException | IOException unreadable) {
      throw new IllegalStateException("no class path for " + mainClass, unreadable);
    }
  }

  private static Path placeOf(String mainClass)
      throws ReflectiveOperationException, URISyntaxException {
    Class<?> program = Class.forName(mainClass, false, Programs.class.getClassLoader());
    return Path.of(program.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  /** What the launcher runs a module with, and no class besides. */
  public static String classPathOf(String module) throws IOException {
    Path built = ProjectRoot.find().resolve(module).resolve("target");
    return built.resolve("classes") + ":" + ClassPathList.read(built.resolve(CLASS_PATH_LIST));
  }

  /** What they leave for later programs, apart from that of whoever runs the tests. */
  public static Path state(Path folder) {
    return folder.resolve("state");
  }

  /** A program that ends by itself within a minute; returns when it has. */
  public static ChildProcess run(Path folder, String mainClass, String... arguments)
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
  public static int awaitStatus(ChildProcess process, Duration limit)
      throws IOException, InterruptedException {
    if (!process.awaitEnd(limit)) {
      process.kill();
      throw new AssertionError("still running after " + limit + ":\n" + said(process));
    }
    return process.end().status();
  }

  public static void requireSuccess(ChildProcess process, Duration limit)
      throws IOException, InterruptedException {
    if (awaitStatus(process, limit) != 0) {
      throw new AssertionError(process.explainEnd() + "\n" + said(process));
    }
  }

  /** All of it: the folder is gone when somebody asks why a test failed. */
  public static String said(ChildProcess process) throws IOException {
    return process.output() + process.errors();
  }
}
