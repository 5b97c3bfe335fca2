// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileLockTest {
  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void make() throws IOException {
    file = Files.createFile(folder.resolve("lock"));
  }

  /** How often this process has the file open. */
  private long openDescriptors() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.filter(this::isOurs).count();
    }
  }

  private boolean isOurs(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).equals(file);
    } catch (IOException closedMeanwhile) {
      return false;
    }
  }

  @Test
  void shouldExcludeOthersUntilItIsClosed() {
    FileLock first = FileLock.tryTake(file).orElseThrow();
    assertThat(FileLock.tryTake(file)).isEmpty();
    first.close();
    FileLock second = FileLock.tryTake(file).orElseThrow();
    first.close();
    assertThat(FileLock.tryTake(file)).as("closed twice, by another").isEmpty();
    second.close();
  }

  @Test
  void shouldNotTakeWhoAsksAtTheSameTimeForTheHolder() throws IOException {
    int asking = Posix.openToRead(file);
    assertThat(Posix.tryShare(file, asking)).isTrue();
    assertThat(FileLock.isTaken(file)).isFalse();
    Posix.close(file, asking);
    try (FileLock _ = FileLock.tryTake(file).orElseThrow()) {
      assertThat(FileLock.isTaken(file)).isTrue();
    }
    assertThat(FileLock.isTaken(file)).isFalse();
    assertThat(openDescriptors()).isZero();
  }

  /** Who waits tries again and again. */
  @Test
  void shouldLeaveNoFileOpen() throws IOException {
    try (FileLock _ = FileLock.tryTake(file).orElseThrow()) {
      for (int tries = 0; tries < 10; tries++) {
        assertThat(FileLock.tryTake(file)).isEmpty();
      }
      assertThat(openDescriptors()).isEqualTo(1);
    }
    assertThat(openDescriptors()).isZero();
  }
}
