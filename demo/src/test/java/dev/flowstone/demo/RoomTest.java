// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RoomTest {
  private static final long MIB = 1 << 20;
  private static final Path FOLDER = Path.of("/data");

  private final Room disk = new Room(FOLDER, "ext4", 300 * MIB);
  private final Room memory = new Room(FOLDER, "tmpfs", 300 * MIB);

  @Test
  void shouldSayWhatIsWantedWhatIsFreeAndWhatHelps() {
    assertThatCode(() -> disk.require(300 * MIB, "the rings", "")).doesNotThrowAnyException();
    assertThatThrownBy(() -> disk.require(300 * MIB + 1, "the rings", "choose smaller ones"))
        .isInstanceOf(IOException.class)
        .hasMessage("the rings want 301 MiB in /data, where 300 MiB are free; choose smaller ones");
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

  @Test
  void shouldLookAtTheRealPlace() throws Exception {
    assertThat(Room.in(Path.of("/dev/shm")).fileSystem()).isEqualTo("tmpfs");
  }
}
