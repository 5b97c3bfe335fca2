// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program of ours as a process of its own, with this test's class path. Its starter closes it.
 */
final class JavaProcess implements AutoCloseable {
  private static final String OPTIONS_FILE = "build-support/jvm.options";

  private final Process process;
  private final Path outputFile;
  private final Path errorFile;

  private JavaProcess(Process process, Path outputFile, Path errorFile) {
    this.process = process;
    this.outputFile = outputFile;
    this.errorFile = errorFile;
  }

  /**
   * Starts a main class; what it says goes to {@code name.out} and {@code name.err} in the folder.
   */
  static JavaProcess start(
      Path folder, String name, List<String> jvmOptions, String mainClass, List<String> arguments)
      throws IOException {
    return startWith(List.of(), folder, name, jvmOptions, mainClass, arguments);
  }

  /** As {@link #start}, with other classes before this test's. */
  static JavaProcess startWith(
      List<Path> firstOnClassPath,
      Path folder,
      String name,
      List<String> jvmOptions,
      String mainClass,
      List<String> arguments)
      throws IOException {
    StringBuilder classPath = new StringBuilder();
    firstOnClassPath.forEach(path -> classPath.append(path).append(File.pathSeparator));
    classPath.append(System.getProperty("java.class.path"));
    List<String> command = new ArrayList<>();
    // A build in the background ignores SIGINT, and so would all that it starts.
    command.addAll(List.of("env", "--default-signal=INT"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("@" + ProjectRoot.find().resolve(OPTIONS_FILE));
    // What a killed process leaves lies where the test cleans up.
    command.add("-Djava.io.tmpdir=" + folder);
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", classPath.toString(), mainClass));
    command.addAll(arguments);
    Path outputFile = folder.resolve(name + ".out");
    Path errorFile = folder.resolve(name + ".err");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(outputFile.toFile())
            .redirectError(errorFile.toFile())
            .start();
    return new JavaProcess(process, outputFile, errorFile);
  }

  /** As {@link #start}, for a program that ends by itself within a minute. */
  static JavaProcess run(Path folder, String mainClass, String... arguments)
      throws IOException, InterruptedException {
    String name = "run-" + System.nanoTime();
    JavaProcess process =
        start(folder, name, List.of("-Xmx256m"), mainClass, Arrays.asList(arguments));
    process.awaitExit(Duration.ofMinutes(1));
    return process;
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** SIGKILL: nothing in it runs any more, no shutdown hook either. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Ends its standard input, which asks a tap to end its rings and say what it sent. */
  void endInput() throws IOException {
    process.getOutputStream().close();
  }

  /** What Ctrl-C sends. */
  void interrupt() throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).inheritIO().start().waitFor();
  }

  /** The exit status; a process that outlives the limit is killed and fails the test. */
  int awaitExit(Duration limit) throws IOException, InterruptedException {
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      kill();
      throw new AssertionError("still running after " + limit + ":\n" + output() + errors());
    }
    return process.exitValue();
  }

  void requireSuccess(Duration limit) throws IOException, InterruptedException {
    int status = awaitExit(limit);
    if (status != 0) {
      throw new AssertionError("exit status " + status + ":\n" + output() + errors());
    }
  }

  String output() throws IOException {
    return Files.readString(outputFile);
  }

  String errors() throws IOException {
    return Files.readString(errorFile);
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
