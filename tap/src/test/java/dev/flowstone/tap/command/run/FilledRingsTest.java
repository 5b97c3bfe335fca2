// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Room for rings to come. */
class FilledRingsTest {
  @TempDir Path folder;

  private FilledRings rings() {
    RingFileOptions options = new RingFileOptions();
    CommandLine.populateCommand(options, "--ring-bytes", "64k");
    return new FilledRings(options, new RingDirectory(folder), "test");
  }

  private static RingSetWriter make(FilledRings rings, int count) {
    return rings.make(count, 128, RingClock.HARDWARE);
  }

  private static void prepare(FilledRings rings, int count) {
    rings.prepare(count, 128, RingClock.HARDWARE);
  }

  /** Hidden ones: those that are not rings yet. */
  private List<Object> keysOfRoom() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("."))
          .sorted()
          .map(FilledRingsTest::key)
          .toList();
    }
  }

  private static Object key(Path file) {
    try {
      return Files.getAttribute(file, "unix:ino");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldMakeRingsOfTheRoomThatIsReady() throws IOException {
    FilledRings rings = rings();
    prepare(rings, 3);
    List<Object> room = keysOfRoom();
    assertThat(room).hasSize(3);
    try (RingSetWriter made = make(rings, 3)) {
      assertThat(made.ringCount()).isEqualTo(3);
      assertThat(new RingDirectory(folder).ringFiles().stream().map(FilledRingsTest::key))
          .isEqualTo(room);
    }
  }

  @Test
  void shouldMakeRingsAlsoWhereThatRoomIsGone() throws IOException {
    FilledRings rings = rings();
    prepare(rings, 2);
    Files.delete(folder.resolve(".ring-001.tmp"));
    try (RingSetWriter made = make(rings, 2)) {
      assertThat(made.ringCount()).isEqualTo(2);
    }
    assertThat(keysOfRoom()).isEmpty();
  }

  @Test
  void shouldLeaveNoRoomBehindAtItsEnd() throws IOException {
    FilledRings rings = rings();
    prepare(rings, 2);
    rings.makeNoMore();
    assertThat(keysOfRoom()).isEmpty();
    prepare(rings, 2);
    assertThat(keysOfRoom()).as("it is over").isEmpty();
  }

  /** Another tap has made its own under the same names. */
  @Test
  void shouldGiveBackWhatIsItsOwnAlone() throws IOException {
    FilledRings rings = rings();
    prepare(rings, 1);
    Path file = folder.resolve(".ring-000.tmp");
    Path others = Files.createFile(folder.resolve("other"));
    Files.delete(file);
    Files.move(others, file);
    rings.makeNoMore();
    assertThat(file).exists();
  }

  /** The former rings are replaced by none: nobody took these away. */
  @Test
  void requireAll_afterFailureToReplaceRings_passes() throws IOException {
    FilledRings rings = rings();
    try (RingSetWriter former = make(rings, 1)) {
      rings.watch(former);
      rings.forget();
      assertThat(rings.files()).isEmpty();
    }
    Files.delete(folder.resolve("ring-000.ring"));
    assertThatThrownBy(() -> make(rings, 10_000)).isInstanceOf(RuntimeException.class);
    rings.requireAll();
  }
}
