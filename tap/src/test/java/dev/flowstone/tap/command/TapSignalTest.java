// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A tap that a signal ends has ended well: a service manager need not be told otherwise. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class TapSignalTest {
  private static final Map<String, Integer> NUMBERS = Map.of("HUP", 1, "INT", 2, "TERM", 15);

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"TERM", "HUP", "INT"})
  void shouldWriteWhatItHasAndEndWithoutAnError(String signal) throws Exception {
    assumeFalse(
        isIgnored(signal),
        "SIG" + signal + " is ignored here, as by nohup or in the background of a script");
    Path report = folder.resolve("report");
    RingDirectory rings = new RingDirectory(folder.resolve("rings"));
    List<String> arguments =
        List.of(
            "synthetic",
            "--rings",
            rings.path().toString(),
            "--ring-bytes",
            "64k",
            "--rate",
            "50k",
            "--report",
            report.toString());
    try (ChildProcess tap =
        ChildProcess.start(
            JavaProgram.of("tap", TapCommand.class.getName(), arguments)
                .withJvmOptions("--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1"),
            ChildOutput.gatheredIn(folder))) {
      awaitPackets(rings.ringFile(1));
      assertThat(
              new ProcessBuilder("kill", "-" + signal, "" + tap.handle().pid()).start().waitFor())
          .isZero();
      assertThat(tap.awaitEnd(Duration.ofSeconds(10))).isTrue();
      assertThat(tap.end().status()).as(tap.errors()).isZero();
    }
    JsonNode told = new ObjectMapper().readTree(report.toFile());
    assertThat(told.get("ended").asBoolean()).isTrue();
    long written = 0;
    for (int ring = 0; ring < 2; ring++) {
      try (RingFile file = RingFile.open(rings.ringFile(ring))) {
        assertThat(file.isEnded()).isTrue();
        written += file.counters().writtenPackets();
      }
    }
    assertThat(told.get("offered").asLong()).isPositive().isEqualTo(written);
    assertThat(told.get("source_packets").asLong()).isEqualTo(written);
  }

  /** Child processes inherit it. */
  private static boolean isIgnored(String signal) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      String mask =
          lines.filter(line -> line.startsWith("SigIgn:")).findFirst().orElseThrow().substring(7);
      long ignored = Long.parseUnsignedLong(mask.strip(), 16);
      return ((ignored >>> (NUMBERS.get(signal) - 1)) & 1) != 0;
    }
  }

  private static void awaitPackets(Path ring) throws InterruptedException {
    while (!Files.exists(ring)) {
      Thread.sleep(5);
    }
    try (RingFile file = RingFile.open(ring)) {
      while (file.counters().writtenPackets() == 0) {
        Thread.sleep(5);
      }
    }
  }
}
