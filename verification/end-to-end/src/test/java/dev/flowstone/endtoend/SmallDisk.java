// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/** A file system of its own that is full when it is told. Needs root; its maker closes it. */
final class SmallDisk implements AutoCloseable {
  private static final String SIZE = "4m";
  private static final byte[] CHUNK = new byte[4096];
  private static final long FILL_INTERVAL_MS = 5;

  private final Path path;
  private final Path ballast;

  private SmallDisk(Path path) {
    this.path = path;
    this.ballast = path.resolve("ballast");
  }

  /** Skips the test where nothing may be mounted. */
  static SmallDisk mount(Path path) throws IOException {
    Files.createDirectories(path);
    assumeTrue(
        succeeds("mount", "-t", "tmpfs", "-o", "size=" + SIZE, "flowstone-test", path.toString()),
        "NOT CHECKED: no small file system can be mounted; run as root");
    return new SmallDisk(path);
  }

  Path path() {
    return path;
  }

  /** For that time nothing can be written there; what others remove is filled up again. */
  void stayFull(Duration time) throws InterruptedException {
    long deadlineNs = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - deadlineNs < 0) {
      fill();
      Thread.sleep(FILL_INTERVAL_MS);
    }
  }

  private void fill() {
    try (OutputStream out =
        Files.newOutputStream(ballast, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      while (true) {
        out.write(CHUNK);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
  }

  void free() throws IOException {
    Files.delete(ballast);
  }

  @Override
  public void close() {
    // Lazily: a job on its way out may still hold a file there.
    assertThat(succeeds("umount", "--lazy", path.toString())).isTrue();
  }

  private static boolean succeeds(String... command) {
    try {
      Process process = new ProcessBuilder(command).inheritIO().start();
      return process.onExit().join().exitValue() == 0;
    } catch (IOException noSuchProgram) {
      return false;
    }
  }
}
