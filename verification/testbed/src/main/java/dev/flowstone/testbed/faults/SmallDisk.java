// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.Callable;

/** A file system of its own that is full when it is told. Needs root; its maker closes it. */
public final class SmallDisk implements AutoCloseable {
  private static final String DEFAULT_SIZE = "4m";
  private static final byte[] CHUNK = new byte[4096];
  private static final long FILL_INTERVAL_MS = 5;
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final Path path;
  private final Path ballast;

  private SmallDisk(Path path) {
    this.path = path;
    this.ballast = path.resolve("ballast");
  }

  /** Skips the test where nothing may be mounted. */
  public static SmallDisk mount(Path path) throws IOException {
    return mount(path, DEFAULT_SIZE);
  }

  /**
   * The same with another size.
   *
   * @param size as the kernel's tmpfs has it
   */
  public static SmallDisk mount(Path path, String size) throws IOException {
    Files.createDirectories(path);
    assumeTrue(
        succeeds("mount", "-t", "tmpfs", "-o", "size=" + size, "flowstone-test", path.toString()),
        "NOT CHECKED: no small file system can be mounted; run as root");
    return new SmallDisk(path);
  }

  public Path path() {
    return path;
  }

  /**
   * Until then nothing can be written there: what others delete is filled again. Returns with a
   * full disk.
   */
  public void stayFullUntil(Callable<Boolean> condition) throws Exception {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    fill();
    while (!condition.call()) {
      assertThat(System.nanoTime() - deadlineNs).as("waiting with a full disk").isNegative();
      Thread.sleep(FILL_INTERVAL_MS);
      fill();
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

  public void free() throws IOException {
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
