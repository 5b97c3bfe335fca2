// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.deployment.job.KeptCheckpoints.Restorable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.CheckpointRetentionPolicy;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptCheckpointsTest {
  private static final JobID FIRST = new JobID(1, 1);
  private static final int ROUNDS = 40;
  private static final int FILES = 400;
  private static final JobID SECOND = new JobID(2, 2);

  @TempDir private Path folder;
  private KeptCheckpoints kept;

  @BeforeEach
  void hold() throws IOException {
    kept = KeptCheckpoints.hold(folder.resolve("kept"), "job");
  }

  @AfterEach
  void release() {
    kept.close();
  }

  private Path inside(String name) {
    return kept.folder().resolve(name);
  }

  private Path file(String name) throws IOException {
    Path file = inside(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, name);
  }

  /** As Flink writes one whose keyed state lies in files that it shares with others. */
  private Path whole(String name, long number, Path... shared) throws IOException {
    FileStateHandle own = handle(file(name + "/" + UUID.randomUUID()));
    OperatorState operator = new OperatorState("count", "count", new OperatorID(3, 3), 1, 128);
    operator.putState(
        0,
        OperatorSubtaskState.builder()
            .setManagedKeyedState(
                new IncrementalRemoteKeyedStateHandle(
                    UUID.randomUUID(),
                    new KeyGroupRange(0, 127),
                    number,
                    Stream.of(shared)
                        .map(file -> HandleAndLocalPath.of(handle(file), "000001.sst"))
                        .toList(),
                    List.of(),
                    own))
            .build());
    CheckpointMetadata metadata =
        new CheckpointMetadata(
            number,
            List.of(operator),
            List.of(),
            CheckpointProperties.forCheckpoint(CheckpointRetentionPolicy.RETAIN_ON_FAILURE));
    try (OutputStream out = Files.newOutputStream(inside(name).resolve("_metadata"))) {
      Checkpoints.storeCheckpointMetadata(metadata, out);
    }
    return inside(name);
  }

  private static FileStateHandle handle(Path file) {
    return new FileStateHandle(new org.apache.flink.core.fs.Path(file.toUri()), 100);
  }

  @Test
  void shouldGoOnFromTheNewestThatIsWholeWhateverTheClockSaid() throws IOException {
    assertThat(kept.newest()).isEmpty();
    Path tenth = whole(FIRST + "/chk-10", 10);
    Path older = whole(FIRST + "/chk-9", 9);
    Files.setLastModifiedTime(
        older.resolve("_metadata"),
        FileTime.from(
            Files.getLastModifiedTime(older.resolve("_metadata")).toInstant().plusSeconds(60)));
    file(FIRST + "/chk-11/half");
    assertThat(kept.newest().map(Restorable::path)).contains(tenth);
    Path savepoint = whole("savepoint-010101-aaaa", 12);
    whole(SECOND + "/chk-11", 11);
    assertThat(kept.newest().map(Restorable::path)).contains(savepoint);
  }

  @Test
  void shouldNameACheckpointThatCannotBeRead() throws IOException {
    whole(FIRST + "/chk-1", 1);
    Files.writeString(inside(FIRST + "/chk-1/_metadata"), "no metadata at all");
    assertThatThrownBy(kept::newest)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(FIRST + "/chk-1 cannot be read (")
        .hasMessageContaining("--anew");
    assertThat(kept.putAside()).as("the remedy").isPresent();
  }

  /** One that is killed leaves two, and only one is gone on from. */
  @Test
  void shouldLeaveNothingOfEarlierRunsButWhatIsNeeded() throws IOException {
    Path stillShared = file(FIRST + "/shared/" + UUID.randomUUID());
    Path usedUp = file(FIRST + "/shared/" + UUID.randomUUID());
    Path before = whole(FIRST + "/chk-4", 4, stillShared, usedUp);
    Path last = whole(FIRST + "/chk-5", 5, stillShared);
    Path unfinished = file(FIRST + "/chk-6/half");
    Path savepoint = whole("savepoint-010101-aaaa", 3);
    Path notFlinks = file("notes/_metadata");
    SupersededCheckpoints superseded = kept.supersededBy(kept.newest());
    assertThat(kept.hasAnyOf(SECOND)).isFalse();
    Path own = whole(SECOND + "/chk-6", 6, stillShared);
    assertThat(kept.hasAnyOf(SECOND)).isTrue();

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
  void shouldHaveNothingToGoOnFromWhenAJobHasEnded() throws IOException {
    whole(FIRST + "/chk-4", 4, file(FIRST + "/shared/x"));
    whole("savepoint-010101-aaaa", 3);
    Path notFlinks = file("notes.txt");
    kept.supersededBy(Optional.empty()).delete();
    assertThat(kept.newest()).isEmpty();
    try (Stream<Path> left = Files.list(kept.folder())) {
      assertThat(left).containsExactly(notFlinks);
    }
  }

  @Test
  void shouldPutAsideAndDeleteNothing() throws IOException {
    assertThat(kept.putAside()).isEmpty();
    whole(FIRST + "/chk-1", 1);
    Path aside = kept.putAside().orElseThrow();
    assertThat(aside.resolve(FIRST + "/chk-1/_metadata")).exists();
    assertThat(kept.newest()).isEmpty();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept.folder())))
        .as("nobody else's")
        .isEqualTo("rwx------");
  }

  @Test
  void shouldSayWhereARunBeginsAndTellFlink() throws IOException {
    assertThat(told(false)).isEmpty();
    assertThat(told(true)).isEmpty();
    Path newest = whole(FIRST + "/chk-1", 1);
    assertThat(told(false))
        .containsEntry("execution.state-recovery.path", newest.toUri().toString())
        .containsEntry("execution.state-recovery.claim-mode", "CLAIM");
    assertThat(told(true)).as("--anew").isEmpty();
    assertThat(Beginning.of("job", kept, false).words())
        .isEqualTo("job begins anew: no checkpoint of an earlier run");
  }

  private Map<String, String> told(boolean anew) throws IOException {
    Configuration configuration = new Configuration();
    Beginning beginning = Beginning.of("job", kept, anew);
    beginning.putInto(configuration);
    assertThat(beginning.words())
        .startsWith(configuration.keySet().isEmpty() ? "job begins anew" : "job goes on from ");
    return configuration.toMap();
  }

  @Test
  void shouldBelongToOneRunAtATime() throws IOException {
    assertThatThrownBy(() -> KeptCheckpoints.hold(kept.folder(), "job"))
        .hasMessageContaining("--name");
    Path other = folder.resolve("other");
    KeptCheckpoints.hold(other, "job").close();
    KeptCheckpoints.hold(other, "job").close();
  }

  /** What is superseded is deleted. */
  @Test
  void shouldTouchNoFolderOfAnotherJobOrOfSomethingElse() throws IOException {
    whole(FIRST + "/chk-1", 1);
    kept.close();
    assertThatThrownBy(() -> KeptCheckpoints.hold(kept.folder(), "other"))
        .hasMessageContaining("the checkpoints of job \"job\"")
        .hasMessageContaining("--checkpoints");
    Path lock = folder.resolve("kept.lock");
    Files.delete(lock);
    for (int attempt = 0; attempt < 2; attempt++) {
      assertThatThrownBy(() -> KeptCheckpoints.hold(kept.folder(), "job"))
          .hasMessageContaining("of something else");
    }
    Files.createFile(lock);
    assertThatThrownBy(() -> KeptCheckpoints.hold(kept.folder(), "job"))
        .as("somebody was killed before he looked into the folder")
        .hasMessageContaining("of something else")
        .hasMessageContaining("its name, job, into the file " + lock);
    Files.writeString(lock, "job");
    KeptCheckpoints.hold(kept.folder(), "job").close();
  }

  @Test
  void shouldWriteItsNameWhereSomebodyWasKilledBefore() throws IOException {
    Path other = folder.resolve("other");
    Path lock = Files.createFile(folder.resolve("other.lock"));
    KeptCheckpoints.hold(other, "job").close();
    assertThat(lock).hasContent("job");
  }

  /** Flink's threads still delete checkpoints when the job has ended. */
  @Test
  void shouldPassOverWhatVanishesMeanwhile() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      for (int file = 0; file < FILES; file++) {
        file(FIRST + "/chk-" + file % 4 + "/" + file);
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
                      inside(FIRST + "/chk-" + file % 4 + "/" + file).toFile().delete();
                    }
                    for (int checkpoint = 0; checkpoint < 4; checkpoint++) {
                      inside(FIRST + "/chk-" + checkpoint).toFile().delete();
                    }
                  });
      hasBegun.set(true);
      kept.supersededBy(Optional.empty()).delete();
      other.join();
      kept.supersededBy(Optional.empty()).delete();
      assertThat(inside(FIRST.toString())).doesNotExist();
    }
  }
}
