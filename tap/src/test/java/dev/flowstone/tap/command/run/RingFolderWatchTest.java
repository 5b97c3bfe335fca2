// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RingFolderWatchTest {
  @TempDir Path folder;

  @Test
  void shouldStopATapWhoseRingsWereRemoved() throws InterruptedException {
    RingDirectory directory = new RingDirectory(folder.resolve("rings"));
    CountDownLatch stopped = new CountDownLatch(1);
    try (RingSetWriter rings =
            RingSetWriter.create(
                directory,
                new RingSpecification(1, 10, RingClock.WALL, 128, "test", Optional.empty()),
                WhenFull.DROP);
        RingFolderWatch watch =
            RingFolderWatch.start(List.of(rings.ringFile(0)), stopped::countDown)) {
      watch.requireAll();
      directory.delete();
      assertThat(stopped.await(10, TimeUnit.SECONDS)).isTrue();
      assertThatThrownBy(watch::requireAll)
          .hasMessageStartingWith(directory.ringFile(0) + ": the ring file was removed")
          .hasMessageContaining("start the tap again");
    }
  }
}
