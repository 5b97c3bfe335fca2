// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.programs;

import dev.flowstone.processes.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Commands that somebody types into a terminal of his own, and what they show there. Ctrl-C reaches
 * all processes in it, as a terminal's does. Its maker closes it.
 */
public final class Terminal implements AutoCloseable {
  /** How long nothing may be shown: a build's longest step, on a machine that does more. */
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private static final long LOOK_MS = 200;

  /** As long as a demo may take to deliver the rest, or to clean up, on a busy machine. */
  private static final Duration END_LIMIT = Duration.ofSeconds(30);

  /** One ends a demo's traffic, one the demo, one stops at once what still closes. */
  private static final int MOST_INTERRUPTS = 3;

  private final Process process;
  private final Path output;
  private final String commands;

  private Terminal(Process process, Path output, String commands) {
    this.process = process;
    this.output = output;
    this.commands = commands;
  }

  /**
   * Opens one.
   *
   * @param state where programs keep what outlives them
   */
  public static Terminal open(Path folder, Path state, String commands) throws IOException {
    Path output = Files.createTempFile("flowstone-terminal", ".txt");
    // A build in the background ignores SIGINT, and so would all that it starts.
    ProcessBuilder builder =
        new ProcessBuilder(
            "env", "--default-signal=INT", "setsid", "bash", "-euo", "pipefail", "-c", commands);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("FLOWSTONE_STATE", state.toString());
    return new Terminal(
        builder
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start(),
        output,
        commands);
  }

  /** A line, to the program that reads it. */
  public void type(String line) throws IOException {
    press(line + "\n");
  }

  public void press(String keys) throws IOException {
    Writer keyboard = process.outputWriter();
    keyboard.write(keys);
    keyboard.flush();
  }

  private String shown() throws IOException {
    return Files.readString(output);
  }

  /** Returns when these are shown; they may be the last. */
  public void awaitWords(String words) throws Exception {
    Patience patience = new Patience(LIMIT);
    while (!shown().contains(words)) {
      if (!process.isAlive() && !shown().contains(words)) {
        throw failure("ended with status " + process.exitValue() + " and no \"" + words + "\"");
      }
      waitALittle(patience);
    }
  }

  /** Returns when it has ended, however. */
  public void awaitEnd() throws Exception {
    Patience patience = new Patience(LIMIT);
    while (process.isAlive()) {
      waitALittle(patience);
    }
  }

  public void requireSuccess() throws Exception {
    awaitEnd();
    if (process.exitValue() != 0) {
      throw failure("status " + process.exitValue());
    }
  }

  private void waitALittle(Patience patience) throws Exception {
    if (patience.isOver(Files.size(output))) {
      throw failure("nothing more for " + LIMIT);
    }
    Thread.sleep(LOOK_MS);
  }

  private AssertionError failure(String what) throws IOException {
    return new AssertionError(what + ":\n" + commands + "\n" + shown());
  }

  public void interrupt() throws IOException, InterruptedException {
    signal("INT");
  }

  /** To all in it: whoever opened it with setsid leads a group of his number. */
  private void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, "--", "-" + process.pid()).start().waitFor();
  }

  /** What is killed leaves its rings in memory: it gets Ctrl-C first. */
  @Override
  public void close() {
    end(END_LIMIT);
  }

  /**
   * The same.
   *
   * @param limit how long it has to end after each Ctrl-C
   */
  void end(Duration limit) {
    try {
      for (int sent = 0; process.isAlive() && sent < MOST_INTERRUPTS; sent++) {
        interrupt();
        process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
      }
      signal("KILL");
      process.waitFor();
      Files.delete(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
