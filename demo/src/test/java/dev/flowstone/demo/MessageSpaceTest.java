// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.harness.DiskSpace;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MessageSpaceTest {
  private static final long MIB = 1 << 20;
  private static final Path FOLDER = Path.of("/data");

  private final MessageSpace disk = space("ext4");
  private final MessageSpace memory = space("tmpfs");

  private static MessageSpace space(String fileSystem) {
    return new MessageSpace(new DiskSpace(FOLDER, fileSystem, 300 * MIB));
  }

  @Test
  void shouldTellMemoryFromADisk() {
    assertThat(disk.warningOf(MIB)).isEmpty();
    assertThat(memory.warningOf(MIB).orElseThrow()).contains("in memory (tmpfs)", "--data DIR");
  }

  @Test
  void shouldWarnOfATrafficWithoutEndThatMayFillTheDisk() {
    assertThat(disk.warningOf(5_000 * MIB).orElseThrow()).contains("300 MiB free", "--seconds N");
  }

  @Test
  void shouldExpectWhatTheTrafficMakesAndNoMoreThanIsKept() {
    MessageSize size = new MessageSize(2);
    assertThat(size.bytesOf(Optional.of(1e6), Optional.of(10)).orElseThrow())
        .isBetween(160 * MIB, 320 * MIB);
    assertThat(size.bytesOf(Optional.of(1e7), Optional.of(100_000))).hasValue(size.mostBytes());
    assertThat(size.bytesOf(Optional.of(1e6), Optional.empty())).isEmpty();
    assertThat(size.bytesOf(Optional.empty(), Optional.of(10))).isEmpty();
  }
}
