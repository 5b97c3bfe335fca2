// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.checkpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptCheckpointsTest {
  private static final String CHECKPOINT = "00000000000000010000000000000001/chk-1";

  @TempDir private Path parent;
  private CheckpointFolder folder;
  private WrittenCheckpoints written;
  private KeptCheckpoints kept;

  @BeforeEach
  void hold() throws IOException {
    folder = new CheckpointFolder(parent.resolve("kept"));
    written = new WrittenCheckpoints(folder.path());
    kept = KeptCheckpoints.hold(folder, "job");
  }

  @AfterEach
  void release() {
    kept.close();
  }

  @Test
  void putsAsideAndDeletesNothing() throws IOException {
    assertThat(kept.putAside()).isEmpty();
    written.whole(CHECKPOINT, 1);
    Path aside = kept.putAside().orElseThrow();
    assertThat(aside.resolve(CHECKPOINT + "/_metadata")).exists();
    assertThat(folder.newest()).isEmpty();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.path())))
        .as("readable by the owner alone")
        .isEqualTo("rwx------");
  }

  /** As the messages promise. */
  @Test
  void putsAsideWhatCannotBeResumedFrom() throws IOException {
    folder.completion().write(7);
    assertThat(kept.putAside()).as("all are missing").isPresent();
    assertThat(folder.newest()).isEmpty();
  }

  @Test
  void putsAsideWhatCannotBeRead() throws IOException {
    written.whole(CHECKPOINT, 1);
    Files.writeString(written.inside(CHECKPOINT + "/_metadata"), "no metadata at all");
    assertThat(kept.putAside()).isPresent();
  }

  @Test
  void belongsToOneRunAtATime() throws IOException {
    assertThatThrownBy(() -> KeptCheckpoints.hold(folder, "job")).hasMessageContaining("--name");
    CheckpointFolder other = new CheckpointFolder(parent.resolve("other"));
    KeptCheckpoints.hold(other, "job").close();
    KeptCheckpoints.hold(other, "job").close();
  }

  /** What is superseded is deleted. */
  @Test
  void touchesNoFolderOfAnotherJobOrOfSomethingElse() throws IOException {
    written.whole(CHECKPOINT, 1);
    kept.close();
    assertThatThrownBy(() -> KeptCheckpoints.hold(folder, "other"))
        .hasMessageContaining("the checkpoints of job \"job\"")
        .hasMessageContaining("--checkpoints");
    Path lock = parent.resolve("kept.lock");
    Files.delete(lock);
    for (int attempt = 0; attempt < 2; attempt++) {
      assertThatThrownBy(() -> KeptCheckpoints.hold(folder, "job"))
          .hasMessageContaining("of something else");
    }
    Files.createFile(lock);
    assertThatThrownBy(() -> KeptCheckpoints.hold(folder, "job"))
        .as("a process was killed before it scanned the folder")
        .hasMessageContaining("of something else")
        .hasMessageContaining("its name, job, into the file " + lock);
    Files.writeString(lock, "job");
    KeptCheckpoints.hold(folder, "job").close();
  }

  @Test
  void writesItsNameWhereAProcessWasKilledBefore() throws IOException {
    Path lock = Files.createFile(parent.resolve("other.lock"));
    KeptCheckpoints.hold(new CheckpointFolder(parent.resolve("other")), "job").close();
    assertThat(lock).hasContent("job");
  }
}
