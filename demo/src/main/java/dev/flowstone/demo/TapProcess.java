// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The tap as a process of its own, as on a real host. Whoever starts it closes it. */
final class TapProcess implements AutoCloseable {
  private static final long STOP_LIMIT_SECONDS = 8;

  private final Process process;
  private final Path output;

  private TapProcess(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /** Starts {@code tap} with these arguments; what it says goes to a file in the folder. */
  static TapProcess start(List<String> arguments, Path folder) throws IOException {
    Path output = folder.resolve("tap.out");
    List<String> command = new ArrayList<>();
    // A session of its own: Ctrl-C is for the demo alone, which then stops its processes in order.
    command.add("setsid");
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED", "-Xmx96m", "-XX:+UseSerialGC", "-Xshare:auto"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add("dev.flowstone.tap.command.TapCommand");
    command.addAll(arguments);
    command.add("--stop-on-stdin-end");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    return new TapProcess(process, output);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  /** Asks it to end its rings and returns when it has. */
  void stop() {
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

  /** Throws with the tap's own words if it failed. */
  void requireSuccess() throws IOException {
    boolean stoppedByUs = !process.isAlive() && process.exitValue() == 143;
    if (!process.isAlive() && process.exitValue() != 0 && !stoppedByUs) {
      throw new IOException("the tap failed: " + Files.readString(output).strip());
    }
  }

  @Override
  public void close() {
    stop();
  }
}
