// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ScratchFolderTest {
  private static final Duration WRITING = Duration.ofMillis(50);

  /** In one alone the deletion may be the faster of the two. */
  private static final int ROUNDS = 20;

  @Test
  void shouldTakeAllThatIsInItWithItself() throws Exception {
    ScratchFolder folder = ScratchFolder.inMemory("test");
    Files.createDirectories(folder.path().resolve("a/b"));
    Files.writeString(folder.path().resolve("a/b/file"), "content");
    folder.close();
    assertThat(folder.path()).doesNotExist();
  }

  /** As a job does that takes its last checkpoint while everything is removed. */
  @Test
  void shouldOutlastSomebodyWhoStillWritesThere() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      ScratchFolder folder = ScratchFolder.inMemory("test");
      CountDownLatch writing = new CountDownLatch(1);
      Thread writer = Thread.ofPlatform().start(() -> write(folder.path(), writing));
      writing.await();
      folder.close();
      writer.join();
      assertThat(folder.path()).as("round %d", round).doesNotExist();
    }
  }

  private static void write(Path folder, CountDownLatch writing) {
    long endNs = System.nanoTime() + WRITING.toNanos();
    try {
      Path busy = Files.createDirectory(folder.resolve("busy"));
      for (int file = 0; System.nanoTime() - endNs < 0; file++) {
        Files.createFile(busy.resolve("" + file));
        writing.countDown();
      }
    } catch (IOException removed) {
      // The folder went while this was between two files.
    }
  }

  @Test
  void shouldKeepWhatIsToBeKept() throws Exception {
    ScratchFolder folder = ScratchFolder.onDisk("test");
    Path log = folder.path().resolve("kafka/broker.log");
    Path data = folder.path().resolve("kafka/data/00.log");
    Files.createDirectories(data.getParent());
    Files.writeString(log, "ERROR");
    Files.writeString(data, "messages");
    folder.keep(file -> file.equals(log));
    folder.close();
    assertThat(log).hasContent("ERROR");
    assertThat(data.getParent()).doesNotExist();
    folder.keep(file -> false);
    assertThat(folder.path()).doesNotExist();
  }
}
