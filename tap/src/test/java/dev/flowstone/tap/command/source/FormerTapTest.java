// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FormerTapTest {
  private static final long LATEST_NS = 1_700_000_000_250_000_000L;

  @TempDir private Path folder;

  private RingDirectory rings(int clock) {
    RingDirectory directory = new RingDirectory(folder);
    try (RingSetWriter rings =
        RingSetWriter.create(
            directory,
            new RingSpecification(2, 10, clock, 128, "test", Optional.empty()),
            WhenFull.DROP)) {
      rings.heartbeat(0, LATEST_NS - 500_000_000, true);
      rings.heartbeat(1, LATEST_NS, true);
    }
    return directory;
  }

  @Test
  void measuresFromTheLatestTimeOfAllRings() {
    FormerTap former = FormerTap.of(rings(RingClock.WALL)).orElseThrow();
    assertThat(former.gapUntil(Instant.ofEpochSecond(0, LATEST_NS + 1_600_000_000)))
        .isEqualTo(
            "nothing was captured for 1.6 s: the former tap of this folder captured last at"
                + " 2023-11-14T22:13:20.250Z");
  }

  @Test
  void knowsNothingOfTimesByOtherClocks() {
    assertThat(FormerTap.of(rings(RingClock.CAPTURE))).isEmpty();
    assertThat(FormerTap.of(rings(RingClock.HARDWARE))).isEmpty();
  }

  @Test
  void knowsNothingOfAFolderWithoutRings() throws IOException {
    assertThat(FormerTap.of(new RingDirectory(folder))).isEmpty();
    Files.write(new RingDirectory(folder).ringFile(0), new byte[100]);
    assertThat(FormerTap.of(new RingDirectory(folder))).isEmpty();
  }
}
