// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.checkpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.deployment.checkpoints.CheckpointFolder.Restorable;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StopSavepointsTest {
  private static final CheckpointProperties STOP =
      CheckpointProperties.forSyncSavepoint(false, false, SavepointFormatType.CANONICAL);
  private static final CheckpointProperties BACKUP =
      CheckpointProperties.forSavepoint(false, SavepointFormatType.CANONICAL);

  @TempDir private Path parent;
  private CheckpointFolder folder;
  private WrittenCheckpoints cluster;

  @BeforeEach
  void run() throws IOException {
    folder = new CheckpointFolder(parent.resolve("kept"));
    cluster = new WrittenCheckpoints(parent.resolve("savepoints"));
    new WrittenCheckpoints(folder.path()).file("0d107e97fa29e3e47d89c51785da7772/shared/x");
  }

  private void move() throws IOException {
    StopSavepoints.moveTo(folder, cluster.folder());
  }

  @Test
  void findsTheSavepointThatStoppedARunOnTheCluster() throws IOException {
    cluster.whole("savepoint-0d107e-9435e22b9fe7", 8, STOP);
    move();
    assertThat(folder.newest().map(Restorable::path))
        .contains(folder.path().resolve("savepoint-0d107e-9435e22b9fe7"));
  }

  @Test
  void leavesSavepointsOfOtherJobsAndBackups() throws IOException {
    Path ofAnother = cluster.whole("savepoint-0d107f-9435e22b9fe7", 9, STOP);
    Path backup = cluster.whole("savepoint-0d107e-aaaaaaaaaaaa", 7, BACKUP);
    Path unfinished = cluster.file("savepoint-0d107e-bbbbbbbbbbbb/half");
    move();
    assertThat(folder.newest()).isEmpty();
    assertThat(ofAnother).exists();
    assertThat(backup).exists();
    assertThat(unfinished).exists();
  }

  /** As on another file system, whose folders cannot be renamed to here. */
  @Test
  void namesTheSavepointThatCannotBeMoved() throws IOException {
    Path savepoint = cluster.whole("savepoint-0d107e-9435e22b9fe7", 8, STOP);
    new WrittenCheckpoints(folder.path()).file("savepoint-0d107e-9435e22b9fe7/taken");
    assertThatThrownBy(this::move)
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(savepoint + ": cannot move the savepoint to " + folder.path())
        .hasMessageEndingWith("; move it there by hand");
  }

  @Test
  void acceptsThatThereWasNoCluster() {
    assertThatNoException().isThrownBy(this::move);
  }
}
