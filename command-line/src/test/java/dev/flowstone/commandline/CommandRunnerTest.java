// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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

  /** As when somebody truncates a ring file. */
  @Test
  void shouldExplainThatMappedMemoryIsGone(@TempDir Path folder) {
    int status = CommandRunner.run(new Measure(() -> readWhatWasCutOff(folder.resolve("ring"))));
    assertThat(status).isEqualTo(1);
    assertThat(said())
        .startsWith("flowstone: memory of a ring file is gone")
        .contains("cut short")
        .contains("start the tap again")
        .hasLineCount(1);
  }

  private static int readWhatWasCutOff(Path file) throws IOException {
    Files.write(file, new byte[1 << 16]);
    try (FileChannel channel = FileChannel.open(file, READ, WRITE);
        Arena arena = Arena.ofConfined()) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, 1 << 16, arena);
      channel.truncate(0);
      return mapped.get(ValueLayout.JAVA_INT, 0);
    }
  }

  @Test
  void shouldSayAnotherInternalErrorAsItIs() {
    int status =
        CommandRunner.run(
            new Measure(
                () -> {
                  throw new InternalError("no such method");
                }));
    assertThat(status).isEqualTo(1);
    assertThat(said()).startsWith("flowstone: no such method");
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

  @Command(name = "outer", mixinStandardHelpOptions = true, subcommands = Inner.class)
  static final class Outer {}

  @Command(name = "inner", mixinStandardHelpOptions = true)
  static final class Inner {}

  @Test
  void shouldSayWhichVersionItIs() {
    PrintStream output = System.out;
    System.setOut(new PrintStream(written, true, StandardCharsets.UTF_8));
    try {
      assertThat(CommandRunner.run(new Outer(), "-V")).isZero();
      assertThat(CommandRunner.run(new Outer(), "inner", "--version")).isZero();
    } finally {
      System.setOut(output);
    }
    assertThat(said().lines()).hasSize(2).allMatch(line -> line.matches("flowstone \\d+\\.\\d.*"));
  }
}
