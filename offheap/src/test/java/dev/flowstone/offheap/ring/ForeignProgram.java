// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program of {@code hw/conformance}, built when it is out of date and run as a child: it obeys
 * line by line, and answers each with one. Closing its input is its death.
 */
final class ForeignProgram implements AutoCloseable {
  private static final Path BUILD = Path.of("target", "conformance").toAbsolutePath();
  private static final long END_LIMIT_S = 10;

  private final Process process;
  private final BufferedReader answers;
  private final Writer commands;

  ForeignProgram(String name, Object... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(BUILD.resolve(name).toString()));
    Arrays.stream(arguments).map(Object::toString).forEach(command::add);
    process = new ProcessBuilder(command).redirectErrorStream(true).start();
    answers = process.inputReader();
    commands = process.outputWriter();
  }

  /** Whoever has no compiler could not build the parser library either. */
  static void build() throws IOException, InterruptedException {
    Process make =
        new ProcessBuilder("make", "--silent", "conformance", "BUILD=" + BUILD)
            .directory(makefileFolder().toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(make.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(make.waitFor()).as(said).isZero();
  }

  private static Path makefileFolder() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("hw/model/Makefile"))) {
      folder = folder.getParent();
    }
    return folder.resolve("hw/model");
  }

  /** Its next line, or null when it has ended. */
  String answer() {
    try {
      return answers.readLine();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void tell(String command) throws IOException {
    commands.write(command + "\n");
    commands.flush();
  }

  /** Tells it something; the numbers that it answers. */
  long[] ask(String command) throws IOException {
    tell(command);
    return numbers(answer());
  }

  static long[] numbers(String answer) {
    assertThat(answer).matches("[0-9 ]+");
    return Arrays.stream(answer.split(" ")).mapToLong(Long::parseLong).toArray();
  }

  /** Its exit status, once it has ended. */
  int awaitEnd() {
    try {
      assertThat(process.waitFor(END_LIMIT_S, TimeUnit.SECONDS)).as("ended").isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted while a program ended", e);
    }
    return process.exitValue();
  }

  @Override
  public void close() throws IOException {
    try {
      commands.close();
      awaitEnd();
    } finally {
      process.destroyForcibly();
    }
  }
}
