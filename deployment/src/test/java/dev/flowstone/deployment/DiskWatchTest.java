// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class DiskWatchTest {
  private static final long MIB = 1 << 20;

  private final DiskWatch watch = new DiskWatch(Path.of("/state/checkpoints"));

  @Test
  void reportsAFullDiskOnceAndItsSpaceOnce() {
    assertThat(watch.news(100 * MIB, 100 * MIB)).as("enough").isEmpty();
    assertThat(watch.news(MIB, 100 * MIB).orElseThrow())
        .isEqualTo(
            "/state/checkpoints: disk is full: 1,048,576 bytes are free, the next checkpoint"
                + " requires 104,857,600; checkpoints fail until you free space");
    assertThat(watch.news(0, 100 * MIB)).as("reported already").isEmpty();
    assertThat(watch.news(199 * MIB, 100 * MIB)).as("at its limit").isEmpty();
    assertThat(watch.news(200 * MIB, 100 * MIB).orElseThrow())
        .isEqualTo("/state/checkpoints: disk has space again: 209,715,200 bytes are free");
    assertThat(watch.news(200 * MIB, 100 * MIB)).isEmpty();
    assertThat(watch.news(0, 100 * MIB)).as("full again").isPresent();
  }

  @Test
  void readsTheFileSystemOfItsFolder() {
    DiskWatch here = new DiskWatch(Path.of("/dev/shm"));
    assertThat(here.news(0)).isEmpty();
    assertThat(here.news(Long.MAX_VALUE / 2)).isPresent();
    assertThat(new DiskWatch(Path.of("/dev/shm/no-such-folder")).news(0)).isEmpty();
  }
}
