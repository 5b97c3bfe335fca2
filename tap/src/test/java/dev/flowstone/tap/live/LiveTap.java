// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import dev.flowstone.tap.command.TapCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A live tap on the interface of a network namespace, as a process of its own. */
final class LiveTap {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final long POLL_MS = 20;

  private LiveTap() {}

  /** Starts one that ends when its standard input does; what it leaves is in the folder. */
  static ChildProcess start(NetworkNamespace network, Path folder, String... more)
      throws IOException {
    return start(program(folder, more).withLauncher(network.launcher()), folder);
  }

  static JavaProgram program(Path folder, String... more) {
    List<String> arguments = new ArrayList<>(List.of("live", NetworkNamespace.INTERFACE));
    arguments.addAll(List.of("--rings", folder.resolve("rings").toString(), "--ring-bytes", "64k"));
    arguments.addAll(List.of("--report", report(folder).toString(), "--stop-on-stdin-end"));
    arguments.addAll(List.of(more));
    return JavaProgram.of("tap", TapCommand.class.getName(), arguments);
  }

  static ChildProcess start(JavaProgram program, Path folder) throws IOException {
    return start(program, ChildOutput.gatheredIn(folder));
  }

  static ChildProcess start(NetworkNamespace network, JavaProgram program, ChildOutput output)
      throws IOException {
    return start(program.withLauncher(network.launcher()), output);
  }

  private static ChildProcess start(JavaProgram program, ChildOutput output) throws IOException {
    return ChildProcess.start(
        program.withJvmOptions(
            "--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
        output);
  }

  /** Once it captures with all its threads it tells its rings the time. */
  static void awaitCapture(ChildProcess tap, Path folder) throws IOException, InterruptedException {
    awaitLine(tap, "live probe0 ->");
    try (RingFile ring = RingFile.open(new RingDirectory(folder.resolve("rings")).ringFile(0))) {
      long deadlineNs = System.nanoTime() + LIMIT.toNanos();
      while (ring.counters().latestTimeNs() == 0) {
        assertThat(System.nanoTime()).as("it captures").isLessThan(deadlineNs);
        Thread.sleep(POLL_MS);
      }
    }
  }

  static Path report(Path folder) {
    return folder.resolve("report");
  }

  static void awaitLine(ChildProcess tap, String text) throws IOException, InterruptedException {
    awaitLines(tap, text, 1);
  }

  static void awaitLines(ChildProcess tap, String text, int times)
      throws IOException, InterruptedException {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (tap.errors().split(text, -1).length <= times) {
      assertThat(System.nanoTime()).as("until: %s", text).isLessThan(deadlineNs);
      assertThat(tap.isAlive()).as("%s before: %s", tap.errors(), text).isTrue();
      Thread.sleep(POLL_MS);
    }
  }

  static int status(ChildProcess tap) throws InterruptedException {
    assertThat(tap.awaitEnd(LIMIT)).as("it ends").isTrue();
    return tap.end().status();
  }
}
