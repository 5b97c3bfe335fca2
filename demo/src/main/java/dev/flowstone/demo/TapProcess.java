// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.tap.command.TapCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The tap as a process of its own, as on a real host. One thread; whoever starts it closes it. */
final class TapProcess implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long STOP_LIMIT_SECONDS = 8;

  private final Process process;
  private final Path errors;
  private final BufferedReader answers;
  private TapCounters counters = TapCounters.NONE;

  private TapProcess(Process process, Path errors) {
    this.process = process;
    this.errors = errors;
    this.answers = process.inputReader();
  }

  /** Starts a tap; what goes wrong in it stands in a file in the folder. */
  static TapProcess start(TrafficOptions traffic, Path rings, Path folder) throws IOException {
    Path errors = folder.resolve("tap.err");
    List<String> command = new ArrayList<>();
    // A session of its own: Ctrl-C is for the demo alone, which then stops its processes in order.
    command.add("setsid");
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED", "-Xmx96m", "-XX:+UseSerialGC", "-Xshare:auto"));
    // Standard output is for counters alone.
    command.addAll(List.of("-Xlog:disable", "-Xlog:all=warning:stderr"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(TapCommand.class.getName());
    command.addAll(traffic.tapArguments(rings));
    return new TapProcess(
        new ProcessBuilder(command).redirectError(errors.toFile()).start(), errors);
  }

  /** Its counters now, or in the end when it has ended. */
  TapCounters ask() {
    try {
      process.getOutputStream().write('\n');
      process.getOutputStream().flush();
    } catch (IOException ended) {
      // Then its last word is still to be heard.
    }
    hear();
    return counters;
  }

  /** One line; whether there was any. */
  private boolean hear() {
    try {
      String line = answers.readLine();
      // An answer to a late question may follow the last word.
      if (line != null && !counters.ended()) {
        counters = TapCounters.parse(JSON.readTree(line));
      }
      return line != null;
    } catch (IOException e) {
      throw new UncheckedIOException("the tap's counters cannot be read", e);
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Returns when it has ended, or after that time. */
  void awaitEnd(long limitMs) throws InterruptedException {
    process.waitFor(limitMs, TimeUnit.MILLISECONDS);
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  /** Has it end its rings and say its last counters; returns when it has. */
  void stop() {
    try {
      process.getOutputStream().close();
    } catch (IOException gone) {
      // Then it needs no asking.
    }
    try {
      if (!process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
      while (hear()) {
        // The last word counts.
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  /** Throws with the tap's own words if it failed. */
  void requireSuccess() throws IOException {
    if (!process.isAlive() && process.exitValue() != 0) {
      String said = Files.readString(errors).strip();
      throw new TapFailedException("the tap failed: " + said.replaceFirst("^flowstone: ", ""));
    }
  }

  @Override
  public void close() {
    stop();
  }
}
