// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

class CommandRunnerTest {
  private final PrintStream usual = System.err;
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();

  @Command(name = "measure")
  static final class Measure implements Callable<Integer> {
    @Option(names = "--count")
    int count;

    final Callable<Integer> work;

    Measure(Callable<Integer> work) {
      this.work = work;
    }

    @Override
    public Integer call() throws Exception {
      return work.call();
    }
  }

  @BeforeEach
  void listen() {
    System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void stopListening() {
    System.setErr(usual);
  }

  private String said() {
    return written.toString(StandardCharsets.UTF_8);
  }

  @Test
  void shouldHandOnTheStatusOfTheCommand() {
    assertThat(CommandRunner.run(new Measure(() -> 0))).isZero();
    assertThat(CommandRunner.run(new Measure(() -> 7))).isEqualTo(7);
    assertThat(said()).isEmpty();
  }

  @Test
  void shouldSayAFailureInOneLine() {
    int status =
        CommandRunner.run(
            new Measure(
                () -> {
                  throw new IllegalStateException("no ring\n  in the folder");
                }));
    assertThat(status).isEqualTo(1);
    assertThat(said()).isEqualTo("flowstone: no ring; in the folder" + System.lineSeparator());
  }

  @Test
  void shouldSayInWordsWhatJavaNamesByAPath() {
    int status =
        CommandRunner.run(
            new Measure(
                () -> {
                  throw new NoSuchFileException("/nowhere");
                }));
    assertThat(status).isEqualTo(1);
    assertThat(said()).startsWith("flowstone: no such file or folder");
  }

  @Test
  void shouldTellWrongUseFromFailure() {
    int status =
        CommandRunner.run(
            new Measure(
                () -> {
                  throw new IllegalArgumentException("--count must be above 0: 0");
                }));
    assertThat(status).isEqualTo(2);
    assertThat(CommandRunner.run(new Measure(() -> 0), "--count", "many")).isEqualTo(2);
    assertThat(said()).contains("many").contains("; see ./flowstone measure --help");
  }

  @Test
  void shouldSayThatALibraryIsMissing() {
    int status =
        CommandRunner.run(
            new Measure(
                () -> {
                  throw new UnsatisfiedLinkError("no parser library: build it");
                }));
    assertThat(status).isEqualTo(1);
    assertThat(said()).startsWith("flowstone: no parser library: build it");
  }
}
