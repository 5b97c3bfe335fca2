// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.checkpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartingPointTest {
  private static final JobID RUN = new JobID(1, 1);

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

  private static Map<String, String> told(StartingPoint start) {
    Configuration configuration = new Configuration();
    start.putInto(configuration);
    return configuration.toMap();
  }

  private StartingPoint newest(boolean fresh) throws IOException {
    return StartingPoint.newest(kept, "job", fresh);
  }

  @Test
  void startsFromScratchWhereThereIsNoStateAndSaysSo() throws IOException {
    for (boolean fresh : new boolean[] {false, true}) {
      assertThat(told(newest(fresh))).isEmpty();
      assertThat(newest(fresh).words())
          .isEqualTo("job starts from scratch: no checkpoint of an earlier run");
    }
  }

  @Test
  void resumesFromTheNewestAndOwnsIt() throws IOException {
    written.whole(RUN + "/chk-1", 1);
    Path newest = written.whole("savepoint-010101-aaaa", 2);
    StartingPoint start = newest(false);
    assertThat(start.words()).startsWith("job resumes from " + newest + " of 2");
    assertThat(told(start))
        .containsEntry("execution.state-recovery.path", newest.toUri().toString())
        .containsEntry("execution.state-recovery.claim-mode", "CLAIM");
    start.superseded().delete();
    assertThat(written.inside(RUN.toString())).doesNotExist();
    assertThat(newest).exists();
  }

  @Test
  void startsFromScratchWhereAskedToAndNamesTheStatePutAside() throws IOException {
    written.whole(RUN + "/chk-1", 1);
    StartingPoint start = newest(true);
    assertThat(told(start)).isEmpty();
    assertThat(start.words())
        .startsWith("job starts from scratch: its former checkpoints are in " + folder.path());
    assertThat(newest(false).from()).isEmpty();
  }

  @Test
  void resumesFromANamedSavepointThatStaysTheUsers() throws IOException {
    StartingPoint start = StartingPoint.named("s3://backups/savepoint-1", kept, "job");
    assertThat(start.words()).isEqualTo("job resumes from s3://backups/savepoint-1");
    assertThat(told(start))
        .containsEntry("execution.state-recovery.path", "s3://backups/savepoint-1")
        .containsEntry("execution.state-recovery.claim-mode", "NO_CLAIM");
  }

  @Test
  void rejectsANamedSavepointBesideOtherState() throws IOException {
    Path older = written.whole(RUN + "/chk-1", 1);
    Path newest = written.whole(RUN + "/chk-2", 2);
    assertThatThrownBy(() -> StartingPoint.named(older.toString(), kept, "job"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("--from " + older + ": ")
        .hasMessageContaining("omit --from to resume from " + newest);
    for (String same :
        new String[] {newest.toString(), "file:" + newest, newest.toUri().toString()}) {
      assertThat(told(StartingPoint.named(same, kept, "job")))
          .containsEntry("execution.state-recovery.path", newest.toUri().toString())
          .containsEntry("execution.state-recovery.claim-mode", "CLAIM");
    }
  }

  @Test
  void rejectsToIgnoreStateOfThisHostOnAnotherCluster() throws IOException {
    assertThat(elsewhere(Optional.empty(), false).words())
        .isEqualTo("job starts from scratch: no --from");
    Path newest = written.whole(RUN + "/chk-2", 2);
    assertThatThrownBy(() -> elsewhere(Optional.empty(), false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("pass --from " + newest)
        .hasMessageEndingWith("--fresh");
    assertThat(told(elsewhere(Optional.of("hdfs:///sp"), false)))
        .containsEntry("execution.state-recovery.path", "hdfs:///sp");
    StartingPoint fresh = elsewhere(Optional.empty(), true);
    assertThat(told(fresh)).isEmpty();
    fresh.superseded().delete();
    assertThat(newest.resolve("_metadata")).as("not that cluster's").exists();
  }

  private StartingPoint elsewhere(Optional<String> from, boolean fresh) throws IOException {
    return StartingPoint.elsewhere(from, Optional.of(folder), "job", fresh);
  }
}
