// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect;

import static dev.flowstone.inspect.traffic.TestRecords.ACK;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InspectCommandTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String HEAP = "-Xmx16m";

  /** More than there is room for in that heap. */
  private static final int FLOWS = 100_000;

  @TempDir private Path folder;

  @Test
  void shouldRefuseWhatIsNoCapture() throws Exception {
    String text = Files.writeString(folder.resolve("text.pcap"), "no capture").toString();
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream usual = System.err;
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
  }

  @Test
  void shouldKeepToTheHeapByItsLimits() throws Exception {
    try (ChildProcess process = start(InspectCommand.class)) {
      assertThat(process.errors().strip())
          .startsWith("flowstone: " + folder.resolve("large.pcap"))
          .contains("too many flows by direction", "editcap", "-Xmx")
          .hasLineCount(1);
      assertThat(process.end().status()).isEqualTo(1);
      assertThat(process.output()).startsWith(folder.resolve("small.pcap").toString());
    }
  }

  @Test
  void shouldAnswerForOtherCapturesWhenMemoryRunsOut() throws Exception {
    try (ChildProcess process = start(UnlimitedProgram.class)) {
      assertThat(process.output())
          .contains("large.pcap: out of memory", "editcap", "-Xmx")
          .contains("small.pcap\n  packets     1,");
    }
  }

  /** The program with a large and a small capture, once it has ended. */
  private ChildProcess start(Class<?> program) throws Exception {
    TinyCapture large = new TinyCapture(8 << 20);
    for (int flow = 0; flow < FLOWS; flow++) {
      large.tcp(flow, flow, 1, flow, 80, ACK);
    }
    List<String> files =
        List.of(
            large.write(folder.resolve("large.pcap")),
            new TinyCapture().arp(0).write(folder.resolve("small.pcap")));
    ChildProcess process =
        ChildProcess.start(
            JavaProgram.of("inspect", program.getName(), files)
                .withJvmOptions(HEAP, "-XX:+UseParallelGC", "--enable-native-access=ALL-UNNAMED"),
            ChildOutput.gatheredIn(folder));
    assertThat(process.awaitEnd(LIMIT)).as(process.errors()).isTrue();
    return process;
  }
}
