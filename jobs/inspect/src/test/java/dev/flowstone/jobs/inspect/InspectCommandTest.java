// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InspectCommandTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir private Path folder;

  private static Set<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .collect(Collectors.toSet());
  }

  @Test
  void shouldRefuseWhatIsNoCaptureWithoutStartingFlink() throws Exception {
    String text = Files.writeString(folder.resolve("text.pcap"), "no capture").toString();
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream usual = System.err;
    Set<String> before = threads();
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      assertThat(CommandRunner.run(new InspectCommand(), "/nope", text, folder.toString()))
          .isEqualTo(1);
    } finally {
      System.setErr(usual);
    }
    List<String> lines = said.toString(StandardCharsets.UTF_8).lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0)).isEqualTo("flowstone: /nope: no such file");
    assertThat(lines.get(1)).contains("text.pcap: offset 0: found");
    assertThat(lines.get(2)).contains("a folder");
    Set<String> after = threads();
    after.removeAll(before);
    assertThat(after).noneMatch(name -> name.contains("flink") || name.contains("cluster"));
  }

  /** Others wait without end for what a thread was to do that met such an error. */
  @Test
  void shouldEndWithOneLineWhenAThreadRunsOutOfMemory() throws Exception {
    JavaProgram program =
        JavaProgram.of("inspect", OutOfMemoryProgram.class.getName(), List.of())
            .withJvmOptions("-Xmx64m", "--enable-native-access=ALL-UNNAMED");
    try (ChildProcess process = ChildProcess.start(program, ChildOutput.gatheredIn(folder))) {
      assertThat(process.awaitEnd(LIMIT)).as(process.errors()).isTrue();
      assertThat(process.end().status()).as(process.errors()).isEqualTo(1);
      assertThat(process.errors().strip())
          .startsWith("flowstone: out of memory")
          .contains("editcap", "-Xmx")
          .hasLineCount(1);
      assertThat(Path.of(process.output().strip())).as("its rings").doesNotExist();
    }
  }
}
