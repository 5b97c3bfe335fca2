// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM of its own for one side of a measurement. Whoever starts it closes it. */
final class ChildProcess implements AutoCloseable {
  private static final long STOP_LIMIT_SECONDS = 10;

  private final Process process;
  private final Path output;

  private ChildProcess(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /** With the class path of this process. */
  static ChildProcess start(Path output, String mainClass, List<String> arguments)
      throws IOException {
    return start(System.getProperty("java.class.path"), output, mainClass, arguments);
  }

  static ChildProcess start(String classPath, Path output, String mainClass, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("--enable-native-access=ALL-UNNAMED", "-Xmx512m", "-cp", classPath, mainClass));
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    return new ChildProcess(process, output);
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  /** Throws with its own words if it ended. */
  void requireRunning() throws IOException {
    if (!process.isAlive()) {
      throw new IOException("a measured process ended early: " + Files.readString(output).strip());
    }
  }

  /** Waits for its end and returns what it said. */
  String awaitOutput(long limitSeconds) throws IOException, InterruptedException {
    boolean ended = process.waitFor(limitSeconds, TimeUnit.SECONDS);
    String said = Files.readString(output).strip();
    if (!ended || process.exitValue() != 0) {
      throw new IOException("a measured process failed or took too long: " + said);
    }
    return said;
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
