// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * A child process, mostly a JVM. Whoever starts it closes it; should the parent die first, the
 * child ends as well. Any thread may call any method but {@link #answers} and {@link #input}, which
 * are one thread's.
 */
public final class ChildProcess implements AutoCloseable {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

  /** What the kernel needs to take a large process down, on a busy machine. */
  public static final Duration KILL_LIMIT = Duration.ofSeconds(30);

  /** So much processor time a JVM that hangs does not take within minutes. */
  private static final Duration UNIT_OF_WORK = Duration.ofMillis(500);

  private final Program program;
  private final ChildOutput place;
  private final Process process;

  private ChildProcess(Program program, ChildOutput place, Process process) {
    this.program = program;
    this.place = place;
    this.process = process;
  }

  public static ChildProcess start(Program program, ChildOutput place) throws IOException {
    String name = program.name();
    Files.deleteIfExists(place.crashReport(name));
    ProcessBuilder builder =
        new ProcessBuilder(program.command(place.crashReport(name)))
            .redirectError(place.errorFile(name).toFile());
    if (!place.isPiped()) {
      builder.redirectOutput(place.outputFile(name).toFile());
    }
    return new ChildProcess(program, place, builder.start());
  }

  public ProcessHandle handle() {
    return process.toHandle();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Its standard input. */
  public OutputStream input() {
    return process.getOutputStream();
  }

  /** Its standard output, if that is not gathered. */
  public BufferedReader answers() {
    return process.inputReader();
  }

  /** What it said on standard output so far, if that is gathered. */
  public String output() throws IOException {
    return read(place.outputFile(program.name()));
  }

  /** What it said on standard error so far. */
  public String errors() throws IOException {
    return read(place.errorFile(program.name()));
  }

  private static String read(Path file) throws IOException {
    return Files.exists(file) ? Files.readString(file) : "";
  }

  /** Sends a signal; returns when it is sent. */
  public void send(Signal signal) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + signal.number(), Long.toString(process.pid()))
        .inheritIO()
        .start()
        .waitFor(KILL_LIMIT.toMillis(), MILLISECONDS);
  }

  /** SIGKILL: nothing in it runs any more, no shutdown hook either. Returns when it is gone. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor(KILL_LIMIT.toMillis(), MILLISECONDS);
  }

  /** How much it has worked; does not change any more when it hangs. */
  public long work() {
    return handle()
        .info()
        .totalCpuDuration()
        .map(time -> time.dividedBy(UNIT_OF_WORK))
        .orElseGet(System::nanoTime);
  }

  /** Waits for its end; false: it lives on after that time. */
  public boolean awaitEnd(Duration limit) throws InterruptedException {
    return process.waitFor(limit.toMillis(), MILLISECONDS);
  }

  /** How it ended; only once it has. */
  public ProcessEnd end() {
    return new ProcessEnd(process.exitValue());
  }

  /** Throws with the reason if it has ended. */
  public void requireRunning() throws ChildEndedException {
    if (!isAlive()) {
      throw new ChildEndedException(explainEnd(), ownWords().isPresent());
    }
  }

  /** Throws with the reason if it has ended otherwise than well. */
  public void requireNoFailure() throws ChildEndedException {
    if (!isAlive() && !end().isSuccess()) {
      throw new ChildEndedException(explainEnd(), ownWords().isPresent());
    }
  }

  /** Waits for its good end; kills what lives on after that time. */
  public void requireSuccess(Duration limit) throws IOException, InterruptedException {
    if (!awaitEnd(limit)) {
      kill();
      throw new IOException("the " + program.name() + " did not end within " + limit);
    }
    requireNoFailure();
  }

  /**
   * In one line how it ended and, as far as that is known, why; names the file that tells more. For
   * a process that has ended.
   */
  public String explainEnd() {
    String name = "the " + program.name();
    Optional<CrashReport> crash = crash();
    if (crash.isPresent()) {
      return name + " crashed: " + crash.get() + "; see " + place.crashReport(program.name());
    }
    if (end().signal().isPresent()) {
      return name + " ended with " + end() + FirstError.in(said()).map(": "::concat).orElse("");
    }
    String ended = end().isSuccess() ? " ended early: " : " failed: ";
    return ownWords()
        .map(words -> name + ended + words)
        .orElse(name + " ended with " + end() + " and said nothing");
  }

  private Optional<CrashReport> crash() {
    return CrashReport.read(place.crashReport(program.name()));
  }

  /** Of a process that ended by itself, and so could say why. */
  private Optional<String> ownWords() {
    return crash().isPresent() || end().signal().isPresent()
        ? Optional.empty()
        : FirstError.orFirstWordsIn(said());
  }

  private String said() {
    try {
      return errors() + output();
    } catch (IOException unreadable) {
      return "";
    }
  }

  /** SIGTERM, and SIGKILL for one that takes too long; returns when it is gone. */
  @Override
  public void close() {
    stop(STOP_LIMIT);
  }

  /** The same with another time to end by itself. */
  public void stop(Duration limit) {
    process.destroy();
    try {
      if (!awaitEnd(limit)) {
        kill();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
