// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.RingClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plays a local user who prepares the ring folder before a tap with more rights starts. */
class RingFolderTest {
  private static final RingSpecification RINGS =
      new RingSpecification(2, 10, RingClock.SYNTHETIC, 128, "test", Optional.empty());
  private static final String SECRET = "root:x:0:0";

  @TempDir private Path scratch;

  @Test
  void leavesTheTargetsOfPlantedLinksAlone() throws Exception {
    Path victim = Files.writeString(scratch.resolve("shadow"), SECRET);
    Path folder = Files.createDirectory(scratch.resolve("rings"));
    Files.setAttribute(folder, "unix:mode", 0777);
    Files.createSymbolicLink(folder.resolve("tap.lock"), victim);
    Files.createSymbolicLink(folder.resolve(".ring-000.tmp"), victim);
    assertThatThrownBy(
            () -> RingSetWriter.create(new RingDirectory(folder), RINGS, WhenFull.DROP).close())
        .isInstanceOf(RingFileException.class)
        .hasMessageContaining(folder + ": writable by other users");
    assertThat(victim).hasContent(SECRET);
    assertThat(folder.toFile().list()).containsExactlyInAnyOrder("tap.lock", ".ring-000.tmp");
  }

  @Test
  void rejectsALinkToAnotherFolder() throws Exception {
    Path elsewhere = Files.createDirectory(scratch.resolve("etc"));
    Path folder = Files.createSymbolicLink(scratch.resolve("rings"), elsewhere);
    assertThatThrownBy(
            () -> RingSetWriter.create(new RingDirectory(folder), RINGS, WhenFull.DROP).close())
        .isInstanceOf(RingFileException.class)
        .hasMessageContaining("symbolic link");
    assertThat(elsewhere).isEmptyDirectory();
  }
}
