// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import dev.flowstone.deployment.StateFolder;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.offheap.FileLock;
import dev.flowstone.offheap.Reason;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.Checkpoints;

/**
 * The folder in which one job keeps its checkpoints and savepoints, over all its runs. Held by one
 * run at a time, which closes it.
 */
final class KeptCheckpoints implements AutoCloseable {
  /** Flink writes it last, by renaming: where it stands, the checkpoint is whole. */
  static final String LAST_WRITTEN = "_metadata";

  private static final Pattern OF_FLINK = Pattern.compile("[0-9a-f]{32}|savepoint-.*");

  private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  private final Path folder;
  private final FileLock lock;

  private KeptCheckpoints(Path folder, FileLock lock) {
    this.folder = folder;
    this.lock = lock;
  }

  /**
   * Makes the folder if need be.
   *
   * @param job whose it is from then on
   * @throws IOException if it is another job's, or somebody else's
   */
  static KeptCheckpoints hold(Path folder, String job) throws IOException {
    StateFolder.make(folder);
    Path lock = folder.resolveSibling(folder.getFileName() + ".lock");
    KeptCheckpoints kept =
        new KeptCheckpoints(
            folder, StateFolder.tryLock(lock).orElseThrow(() -> new IOException(inUse(folder))));
    try {
      kept.requireOwner(lock, job);
      return kept;
    } catch (IOException e) {
      kept.close();
      throw e;
    }
  }

  /** What is superseded is deleted: that must not be another's. The lock file names the owner. */
  private void requireOwner(Path lock, String job) throws IOException {
    String owner = Files.readString(lock);
    if (owner.isEmpty()) {
      // Made just now, or by a run that was killed before it came to the next line.
      requireNoCheckpoints(lock, job);
      Files.writeString(lock, job);
    } else if (!owner.equals(job)) {
      throw new IOException(
          "%s has the checkpoints of job \"%s\": give job \"%s\" a folder of its own (--checkpoints)"
              .formatted(folder, owner, job));
    }
  }

  private void requireNoCheckpoints(Path lock, String job) throws IOException {
    if (!flinkFolders().isEmpty()) {
      Files.delete(lock);
      throw new IOException(
          ("%s has checkpoints of something else in it: give this job a folder of its own"
                  + " (--checkpoints); if they are its own, write its name, %s, into the file %s")
              .formatted(folder, job, lock));
    }
  }

  private static String inUse(Path folder) {
    return "another process runs this job now, with its checkpoints in "
        + folder
        + ": stop that one, or give this one a name of its own (--name)";
  }

  Path folder() {
    return folder;
  }

  /**
   * What a run goes on from.
   *
   * @param number Flink counts checkpoints and savepoints on, from run to run
   * @param time when it was whole, by a clock that may have been set since
   */
  record Restorable(Path path, long number, FileTime time) {
    Instant second() {
      return time.toInstant().truncatedTo(ChronoUnit.SECONDS);
    }
  }

  /** The newest that is whole. */
  Optional<Restorable> newest() throws IOException {
    List<Restorable> all = new ArrayList<>();
    for (Path path : whole()) {
      all.add(read(path));
    }
    return all.stream()
        .max(Comparator.comparingLong(Restorable::number).thenComparing(Restorable::time));
  }

  private static Restorable read(Path path) throws IOException {
    Path metadata = path.resolve(LAST_WRITTEN);
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(metadata)))) {
      long number =
          Checkpoints.loadCheckpointMetadata(
                  in, KeptCheckpoints.class.getClassLoader(), path.toUri().toString())
              .getCheckpointId();
      return new Restorable(path, number, Files.getLastModifiedTime(metadata));
    } catch (IOException | RuntimeException e) {
      throw new IOException(
          "the checkpoint "
              + path
              + " cannot be read ("
              + Reason.of(e)
              + "): move it elsewhere to go on from the one before, or begin with --anew",
          e);
    }
  }

  /** Whether a run has a checkpoint of its own. */
  boolean hasAnyOf(JobID run) throws IOException {
    Path own = folder.resolve(run.toString());
    return Files.isDirectory(own) && !wholeIn(own).isEmpty();
  }

  /** What is in the folder and not needed by whoever goes on from there; while no run is at it. */
  SupersededCheckpoints supersededBy(Optional<Restorable> from) throws IOException {
    return SupersededCheckpoints.in(flinkFolders(), from.map(Restorable::path));
  }

  private List<Path> whole() throws IOException {
    List<Path> whole = new ArrayList<>();
    for (Path each : flinkFolders()) {
      whole.addAll(wholeIn(each));
    }
    return whole;
  }

  /** Of runs, and savepoints. Nothing else in there is touched. */
  private List<Path> flinkFolders() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(Files::isDirectory)
          .filter(each -> OF_FLINK.matcher(each.getFileName().toString()).matches())
          .toList();
    }
  }

  /** A savepoint itself, or checkpoints of a run. Flink may delete some meanwhile. */
  private static List<Path> wholeIn(Path flinkFolder) throws IOException {
    if (isWhole(flinkFolder)) {
      return List.of(flinkFolder);
    }
    try (Stream<Path> all = Files.list(flinkFolder)) {
      return all.filter(KeptCheckpoints::isWhole).toList();
    } catch (NoSuchFileException gone) {
      return List.of();
    }
  }

  private static boolean isWhole(Path checkpoint) {
    return Files.exists(checkpoint.resolve(LAST_WRITTEN));
  }

  /** Gives the folder another name; where it is then. Empty: there was nothing in it. */
  Optional<Path> putAside() throws IOException {
    if (whole().isEmpty()) {
      return Optional.empty();
    }
    Path aside =
        folder.resolveSibling(
            folder.getFileName()
                + ".before-"
                + MOMENT.format(LocalDateTime.now(ZoneId.systemDefault())));
    Files.move(folder, aside);
    StateFolder.make(folder);
    return Optional.of(aside);
  }

  /** A folder beside it for what a run has on disk, without what a killed one left there. */
  Path scratch() throws IOException {
    Path scratch = scratchFolder();
    if (Files.exists(scratch)) {
      ScratchFolder.deleteLeft(scratch);
    }
    return StateFolder.make(scratch);
  }

  private Path scratchFolder() {
    return folder.resolveSibling(folder.getFileName() + ".scratch");
  }

  @Override
  public void close() {
    try {
      Files.deleteIfExists(scratchFolder());
    } catch (IOException notEmpty) {
      // What could not be removed was said, and the next run tries again.
    }
    lock.close();
  }
}
