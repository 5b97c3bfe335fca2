// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.checkpoints;

import dev.flowstone.deployment.checkpoints.CheckpointFolder.Restorable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.RecoveryClaimMode;

/**
 * Where a run starts.
 *
 * @param from the checkpoint or savepoint that it resumes from; empty: it starts from scratch
 * @param claim whether that is the run's own then: Flink deletes it when it is no longer needed
 * @param superseded what former runs left and this one does not resume from
 * @param words one line for people
 */
public record StartingPoint(
    Optional<String> from,
    RecoveryClaimMode claim,
    SupersededCheckpoints superseded,
    String words) {

  /** At the newest state in the folder; for a run that keeps its state there. */
  public static StartingPoint newest(KeptCheckpoints kept, String job, boolean fresh)
      throws IOException {
    Optional<Path> aside = fresh ? kept.putAside() : Optional.empty();
    Optional<Restorable> newest = kept.folder().newest();
    if (newest.isPresent()) {
      return at(newest.get(), kept, job);
    }
    String why =
        aside
            .map(path -> "its former checkpoints are in " + path)
            .orElse("no checkpoint of an earlier run");
    return scratch(job, why, kept.folder().supersededBy(newest));
  }

  private static StartingPoint at(Restorable found, KeptCheckpoints kept, String job)
      throws IOException {
    return new StartingPoint(
        Optional.of(found.path().toUri().toString()),
        RecoveryClaimMode.CLAIM,
        kept.folder().supersededBy(Optional.of(found)),
        "%s resumes from %s of %s".formatted(job, found.path(), found.second()));
  }

  /**
   * At a checkpoint or savepoint that the user named; for a run that keeps its state in the folder.
   *
   * @throws IllegalArgumentException if other state is there: a later start would take the newest
   *     by its number, which may be that one
   */
  public static StartingPoint named(String from, KeptCheckpoints kept, String job)
      throws IOException {
    Optional<Restorable> newest = kept.folder().newestFound();
    if (newest.isEmpty()) {
      // The named one may need files that are left there.
      return named(from, job, SupersededCheckpoints.NONE);
    }
    Path path = newest.get().path();
    if (!path.equals(Path.of(new org.apache.flink.core.fs.Path(from).toUri().getPath()))) {
      throw new IllegalArgumentException(
          "--from %s: job \"%s\" has other state; omit --from to resume from %s, or name another folder with --checkpoints"
              .formatted(from, job, path));
    }
    return at(newest.get(), kept, job);
  }

  /**
   * For a cluster that keeps its state elsewhere.
   *
   * @param here what runs on this host left; empty: this user has no state folder
   * @throws IllegalArgumentException if that would be ignored
   */
  public static StartingPoint elsewhere(
      Optional<String> from, Optional<CheckpointFolder> here, String job, boolean fresh)
      throws IOException {
    if (from.isPresent()) {
      return named(from.get(), job, SupersededCheckpoints.NONE);
    }
    Optional<Restorable> newest = fresh || here.isEmpty() ? Optional.empty() : here.get().newest();
    if (newest.isPresent()) {
      throw new IllegalArgumentException(
          "job \"%s\" has state on this host; pass --from %s if the cluster can read that path, or --fresh"
              .formatted(job, newest.get().path()));
    }
    return scratch(job, "no --from", SupersededCheckpoints.NONE);
  }

  private static StartingPoint named(String from, String job, SupersededCheckpoints superseded) {
    return new StartingPoint(
        Optional.of(from), RecoveryClaimMode.NO_CLAIM, superseded, job + " resumes from " + from);
  }

  private static StartingPoint scratch(String job, String why, SupersededCheckpoints superseded) {
    return new StartingPoint(
        Optional.empty(),
        RecoveryClaimMode.NO_CLAIM,
        superseded,
        job + " starts from scratch: " + why);
  }

  public void putInto(Configuration configuration) {
    from.ifPresent(
        path -> {
          configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, path);
          configuration.set(StateRecoveryOptions.RESTORE_MODE, claim);
        });
  }
}
