// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.checkpoints;

import dev.flowstone.offheap.Reason;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;

/**
 * Checkpoints and savepoints of one job, over all its runs, wherever on this machine Flink runs
 * them.
 */
public record CheckpointFolder(Path path) {
  /** Flink writes it last, by renaming: where it stands, the checkpoint is whole. */
  static final String LAST_WRITTEN = "_metadata";

  private static final Pattern OF_FLINK = Pattern.compile("[0-9a-f]{32}|savepoint-.*");

  /**
   * A checkpoint or savepoint that is whole.
   *
   * @param number Flink counts checkpoints and savepoints on, from run to run
   * @param time when it was whole, by a clock that may have been set since
   */
  record Restorable(Path path, long number, FileTime time) {
    Instant second() {
      return time.toInstant().truncatedTo(ChronoUnit.SECONDS);
    }
  }

  /**
   * Makes a run write its checkpoints here and keep them. In this process also savepoints for which
   * the user names no folder; see {@link StopSavepoints} for those of a cluster.
   */
  public void putInto(Configuration configuration) {
    String uri = path.toUri().toString();
    configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, uri);
    configuration.set(CheckpointingOptions.SAVEPOINT_DIRECTORY, uri);
    configuration.set(
        CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
        ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
  }

  /** The number of the newest checkpoint that a run is known to have completed. */
  public CompletionRecord completion() {
    return new CompletionRecord(path);
  }

  /**
   * The newest that is whole.
   *
   * @throws IOException if one cannot be read, or a newer one was completed and is missing
   */
  Optional<Restorable> newest() throws IOException {
    Optional<Restorable> newest = newestFound();
    requireCompleted(newest);
    return newest;
  }

  /**
   * The newest that is whole, whether or not a newer one is missing.
   *
   * @throws IOException if one cannot be read
   */
  Optional<Restorable> newestFound() throws IOException {
    List<Restorable> all = new ArrayList<>();
    for (Path each : whole()) {
      try {
        all.add(read(each));
      } catch (IOException e) {
        // Flink may have deleted it meanwhile.
        if (isWhole(each)) {
          throw e;
        }
      }
    }
    return all.stream()
        .max(Comparator.comparingLong(Restorable::number).thenComparing(Restorable::time));
  }

  /** Resuming from an older one would deliver again what came after it. */
  private void requireCompleted(Optional<Restorable> newest) throws IOException {
    OptionalLong completed = completion().number();
    if (completed.isEmpty()) {
      return;
    }
    long number = completed.getAsLong();
    if (newest.isEmpty()) {
      throw new IOException(
          "%s: checkpoint %d completed and is missing, as are all others; restore it, or pass --fresh"
              .formatted(path, number));
    }
    if (newest.get().number() < number) {
      throw new IOException(
          ("%s: checkpoint %d completed and is missing, the newest found is %d; restore it, or remove the file %s"
                  + " to resume from %d and deliver later packets twice, or pass --fresh")
              .formatted(
                  path,
                  number,
                  newest.get().number(),
                  CompletionRecord.FILE_NAME,
                  newest.get().number()));
    }
  }

  private static Restorable read(Path path) throws IOException {
    return new Restorable(
        path,
        metadata(path).getCheckpointId(),
        Files.getLastModifiedTime(path.resolve(LAST_WRITTEN)));
  }

  static CheckpointMetadata metadata(Path checkpoint) throws IOException {
    try (DataInputStream in =
        new DataInputStream(
            new BufferedInputStream(Files.newInputStream(checkpoint.resolve(LAST_WRITTEN))))) {
      return Checkpoints.loadCheckpointMetadata(
          in, CheckpointFolder.class.getClassLoader(), checkpoint.toUri().toString());
    } catch (IOException | RuntimeException e) {
      throw new IOException(
          "the checkpoint "
              + checkpoint
              + " cannot be read ("
              + Reason.of(e)
              + "): restore it, or move it elsewhere to resume from an older one, or pass --fresh",
          e);
    }
  }

  /** Whether a run whose id starts so has kept its state here. */
  boolean hasRun(String id) throws IOException {
    return flinkFolders().stream().anyMatch(each -> each.getFileName().toString().startsWith(id));
  }

  /** Whether a run has a checkpoint of its own. */
  public boolean hasAnyOf(JobID run) throws IOException {
    Path own = path.resolve(run.toString());
    return Files.isDirectory(own) && !wholeIn(own).isEmpty();
  }

  /** What is in the folder and not needed to resume from there; while no run writes to it. */
  SupersededCheckpoints supersededBy(Optional<Restorable> from) throws IOException {
    return SupersededCheckpoints.in(flinkFolders(), from.map(Restorable::path));
  }

  /** When a job has ended; while no run writes to it. */
  public void deleteAll() throws IOException {
    supersededBy(Optional.empty()).delete();
    completion().delete();
  }

  boolean isEmpty() throws IOException {
    return whole().isEmpty() && !completion().isThere();
  }

  private List<Path> whole() throws IOException {
    List<Path> whole = new ArrayList<>();
    for (Path each : flinkFolders()) {
      whole.addAll(wholeIn(each));
    }
    return whole;
  }

  /** Of runs, and savepoints. Nothing else in there is touched. */
  List<Path> flinkFolders() throws IOException {
    try (Stream<Path> all = Files.list(path)) {
      return all.filter(Files::isDirectory)
          .filter(each -> OF_FLINK.matcher(each.getFileName().toString()).matches())
          .toList();
    } catch (NoSuchFileException noRunYet) {
      return List.of();
    }
  }

  /** A savepoint itself, or checkpoints of a run. Flink may delete some meanwhile. */
  private static List<Path> wholeIn(Path flinkFolder) throws IOException {
    if (isWhole(flinkFolder)) {
      return List.of(flinkFolder);
    }
    try (Stream<Path> all = Files.list(flinkFolder)) {
      return all.filter(CheckpointFolder::isWhole).toList();
    } catch (NoSuchFileException gone) {
      return List.of();
    }
  }

  private static boolean isWhole(Path checkpoint) {
    return Files.exists(checkpoint.resolve(LAST_WRITTEN));
  }
}
