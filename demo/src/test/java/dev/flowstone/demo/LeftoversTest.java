// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.offheap.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeftoversTest {
  @TempDir private Path place;

  private Path folder(String name, String... files) throws Exception {
    Path folder = Files.createDirectory(place.resolve("flowstone-demo-" + name));
    for (String file : files) {
      Files.writeString(folder.resolve(file), "content");
    }
    return folder;
  }

  private void sweep() {
    Leftovers.sweep(List.of(place));
  }

  private static String pidOfNobody() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    return Long.toString(ended.pid());
  }

  @Test
  void shouldRemoveWhatAKilledDemoLeft() throws Exception {
    Path rings = folder("1", Leftovers.LOCK, "ring-000.ring");
    Path files = folder("7263", Leftovers.LOCK);
    Files.createDirectories(files.resolve("kafka/data"));
    sweep();
    assertThat(rings).doesNotExist();
    assertThat(files).doesNotExist();
  }

  @Test
  void shouldLeaveALivingDemoAlone() throws Exception {
    DemoFiles files = DemoFiles.create(new DemoPlaces(place, place));
    sweep();
    assertThat(files.folder()).isNotEmptyDirectory();
    assertThat(files.rings().path()).isNotEmptyDirectory();
    files.remove();
    assertThat(place).isEmptyDirectory();
  }

  /** It holds its locks in all containers, where its process may have no number or another's. */
  @Test
  void shouldLeaveADemoOfAnotherContainerAlone() throws Exception {
    Path rings = folder(pidOfNobody(), Leftovers.LOCK, "ring-000.ring");
    Optional<FileLock> held = FileLock.tryTake(rings.resolve(Leftovers.LOCK));
    sweep();
    assertThat(rings).exists();
    held.orElseThrow().close();
    sweep();
    assertThat(rings).doesNotExist();
  }

  /** The demo may be gone a moment earlier than its tap. */
  @Test
  void shouldLeaveRingsAloneThatATapStillFills() throws Exception {
    Path rings = folder("1", Leftovers.LOCK, "ring-000.ring", "tap.lock");
    try (FileLock tap = FileLock.tryTake(rings.resolve("tap.lock")).orElseThrow()) {
      assertThat(tap).isNotNull();
      sweep();
      assertThat(rings).exists();
    }
  }

  @Test
  void shouldRemoveRingsOfAFormerVersionWhoseProcessIsGone() throws Exception {
    Path left = folder(pidOfNobody(), "ring-000.ring");
    Path living = folder(Long.toString(ProcessHandle.current().pid()), "ring-000.ring");
    sweep();
    assertThat(left).doesNotExist();
    assertThat(living).exists();
  }

  @Test
  void shouldLeaveLogsThatWereKept() throws Exception {
    Path logs = folder("6781362740231035612", "flink.log");
    Path other = folder(pidOfNobody(), "flink.log");
    sweep();
    assertThat(logs).exists();
    assertThat(other).exists();
  }
}
