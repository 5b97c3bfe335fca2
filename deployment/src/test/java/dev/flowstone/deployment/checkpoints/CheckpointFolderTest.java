// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.checkpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.deployment.checkpoints.CheckpointFolder.Restorable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointFolderTest {
  private static final JobID FIRST = new JobID(1, 1);
  private static final JobID SECOND = new JobID(2, 2);
  private static final int ROUNDS = 40;
  private static final int FILES = 400;

  @TempDir private Path path;
  private CheckpointFolder folder;
  private WrittenCheckpoints written;

  @BeforeEach
  void begin() {
    folder = new CheckpointFolder(path);
    written = new WrittenCheckpoints(path);
  }

  private Optional<Path> newest() throws IOException {
    return folder.newest().map(Restorable::path);
  }

  @Test
  void findsTheNewestThatIsWholeByItsNumber() throws IOException {
    assertThat(folder.newest()).isEmpty();
    Path tenth = written.whole(FIRST + "/chk-10", 10);
    Path older = written.whole(FIRST + "/chk-9", 9);
    Files.setLastModifiedTime(
        older.resolve("_metadata"),
        FileTime.from(
            Files.getLastModifiedTime(older.resolve("_metadata")).toInstant().plusSeconds(60)));
    written.file(FIRST + "/chk-11/half");
    assertThat(newest()).contains(tenth);
    Path savepoint = written.whole("savepoint-010101-aaaa", 12);
    written.whole(SECOND + "/chk-11", 11);
    assertThat(newest()).contains(savepoint);
  }

  @Test
  void namesACheckpointThatCannotBeRead() throws IOException {
    written.whole(FIRST + "/chk-1", 1);
    Files.writeString(path.resolve(FIRST + "/chk-1/_metadata"), "no metadata at all");
    assertThatThrownBy(folder::newest)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(FIRST + "/chk-1 cannot be read (")
        .hasMessageContaining("--fresh");
  }

  /** Also by one whose number was not recorded: the process was killed between the two. */
  @Test
  void resumesAfterARunThatWasKilledInTheMiddleOfACheckpoint() throws IOException {
    Path sixth = written.whole(FIRST + "/chk-6", 6);
    written.file(FIRST + "/chk-7/half");
    folder.completion().write(6);
    assertThat(newest()).contains(sixth);
    folder.completion().write(5);
    assertThat(newest()).contains(sixth);
  }

  @Test
  void rejectsAnOlderCheckpointThanTheNewestCompleted() throws IOException {
    Path sixth = written.whole(FIRST + "/chk-6", 6);
    Path seventh = written.whole(FIRST + "/chk-7", 7);
    folder.completion().write(7);
    assertThat(newest()).contains(seventh);

    Files.delete(seventh.resolve("_metadata"));
    assertThatThrownBy(folder::newest)
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            path + ": checkpoint 7 completed and is missing, the newest found is 6; ")
        .hasMessageContaining("remove the file newest-completed to resume from 6")
        .hasMessageEndingWith("--fresh");
    Files.delete(path.resolve("newest-completed"));
    assertThat(newest()).as("the remedy").contains(sixth);
  }

  @Test
  void rejectsAFolderWhoseCheckpointsAreAllMissing() throws IOException {
    written.file(FIRST + "/chk-7/half");
    folder.completion().write(7);
    assertThatThrownBy(folder::newest)
        .hasMessageStartingWith(path + ": checkpoint 7 completed and is missing, as are all others")
        .hasMessageEndingWith("--fresh");
  }

  @Test
  void rejectsARecordWithoutANumber() throws IOException {
    written.whole(FIRST + "/chk-7", 7);
    written.file("newest-completed");
    assertThatThrownBy(folder::newest)
        .hasMessageStartingWith(path.resolve("newest-completed") + ": expected the number")
        .hasMessageContaining("remove the file");
  }

  @Test
  void makesFlinkKeepCheckpointsAndSavepointsThere() {
    Configuration configuration = new Configuration();
    folder.putInto(configuration);
    String uri = path.toUri().toString();
    assertThat(configuration.toMap())
        .containsEntry("execution.checkpointing.dir", uri)
        .containsEntry("execution.checkpointing.savepoint-dir", uri)
        .containsEntry(
            "execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION");
  }

  /** One that is killed leaves two, and only one is resumed from. */
  @Test
  void leavesNothingOfFormerRunsButWhatIsNeeded() throws IOException {
    Path stillShared = written.file(FIRST + "/shared/still");
    Path usedUp = written.file(FIRST + "/shared/used-up");
    Path before = written.whole(FIRST + "/chk-4", 4, stillShared, usedUp);
    Path last = written.whole(FIRST + "/chk-5", 5, stillShared);
    Path unfinished = written.file(FIRST + "/chk-6/half");
    Path savepoint = written.whole("savepoint-010101-aaaa", 3);
    Path notFlinks = written.file("notes/_metadata");
    SupersededCheckpoints superseded = folder.supersededBy(folder.newest());
    assertThat(folder.hasAnyOf(SECOND)).isFalse();
    Path own = written.whole(SECOND + "/chk-6", 6, stillShared);
    assertThat(folder.hasAnyOf(SECOND)).isTrue();

    superseded.delete();
    assertThat(superseded.isEmpty()).isTrue();
    assertThat(Stream.of(before, usedUp, unfinished.getParent(), savepoint))
        .noneMatch(Files::exists);
    assertThat(
            Stream.of(last.resolve("_metadata"), stillShared, own.resolve("_metadata"), notFlinks))
        .allMatch(Files::exists);
    assertThat(last).isDirectoryContaining(each -> !each.endsWith("_metadata"));
  }

  @Test
  void hasNothingToResumeFromWhenAJobHasEnded() throws IOException {
    written.whole(FIRST + "/chk-4", 4, written.file(FIRST + "/shared/x"));
    written.whole("savepoint-010101-aaaa", 3);
    Path notFlinks = written.file("notes.txt");
    folder.completion().write(4);
    folder.deleteAll();
    assertThat(folder.newest()).isEmpty();
    try (Stream<Path> left = Files.list(path)) {
      assertThat(left).containsExactly(notFlinks);
    }
  }

  /** Flink's threads still delete checkpoints when the job has ended. */
  @Test
  void skipsWhatVanishesMeanwhile() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      for (int file = 0; file < FILES; file++) {
        written.file(FIRST + "/chk-" + file % 4 + "/" + file);
      }
      AtomicBoolean hasBegun = new AtomicBoolean();
      Thread other =
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (!hasBegun.get()) {
                      Thread.onSpinWait();
                    }
                    for (int file = FILES - 1; file >= 0; file--) {
                      written.inside(FIRST + "/chk-" + file % 4 + "/" + file).toFile().delete();
                    }
                    for (int checkpoint = 0; checkpoint < 4; checkpoint++) {
                      written.inside(FIRST + "/chk-" + checkpoint).toFile().delete();
                    }
                  });
      hasBegun.set(true);
      folder.deleteAll();
      other.join();
      folder.deleteAll();
      assertThat(written.inside(FIRST.toString())).doesNotExist();
    }
  }
}
