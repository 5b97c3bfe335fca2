// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingStart;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a tap's options come to, in the process itself. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class TapRunTest {
  private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(5);

  @TempDir private Path folder;

  private Path ring() {
    return new RingDirectory(folder).ringFile(0);
  }

  /** Runs to its end with this status; returns what it said. */
  private String tap(int status, String... more) {
    PrintStream usual = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      List<String> arguments = new ArrayList<>(List.of("--rings", folder.toString()));
      arguments.addAll(List.of("--ring-count", "1", "--ring-bytes", "64k"));
      arguments.addAll(List.of(more));
      assertThat(CommandRunner.run(new SyntheticCommand(), arguments.toArray(String[]::new)))
          .as(said.toString(StandardCharsets.UTF_8))
          .isEqualTo(status);
    } finally {
      System.setErr(usual);
    }
    return said.toString(StandardCharsets.UTF_8);
  }

  private void awaitRing() {
    await(() -> Files.exists(ring()));
  }

  private void awaitPackets() {
    awaitRing();
    try (RingFile file = RingFile.open(ring())) {
      await(() -> file.counters().offeredPackets() > 0);
    }
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(POLL_NS);
    }
  }

  private void claimAndFallSilent() {
    awaitRing();
    try (RingFile file = RingFile.open(ring());
        GatingReader reader = new GatingReader(file, "gone", RingStart.OLDEST)) {
      assertThat(reader.holdsLane()).isTrue();
    }
  }

  /** The reader asked for minutes; the operator allows less. */
  @Test
  void shouldTakeTheSpaceOfAReaderThatIsSilentForLongerThanAsked() {
    CompletableFuture<Void> reader = CompletableFuture.runAsync(this::claimAndFallSilent);
    String said =
        tap(0, "--wait-for-reader", "--lane-expiry", "0", "--rate", "50k", "--packets", "20000");
    reader.join();
    assertThat(said).contains("ring 0: reader gone").contains("its space is taken");
    try (RingFile file = RingFile.open(ring())) {
      assertThat(file.counters().expiredLanes()).isEqualTo(1);
      assertThat(file.lanes().hasGatingReader()).isFalse();
    }
  }

  @Test
  void shouldFailWhenItsRingsWereRemoved() {
    CompletableFuture<Void> remover =
        CompletableFuture.runAsync(
            () -> {
              awaitPackets();
              new RingDirectory(folder).delete();
            });
    assertThat(tap(1, "--rate", "10k")).contains(ring() + ": the ring file was removed");
    remover.join();
  }
}
