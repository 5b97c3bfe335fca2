// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.checkpoints;

import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;

/**
 * Savepoints that stopped jobs on this user's cluster. Flink's REST interface stores them in the
 * cluster's folder, even where the job's configuration names another one.
 */
public final class StopSavepoints {
  private static final String PREFIX = "savepoint-";

  /** Flink starts the name of a savepoint with as many digits of the run. */
  private static final int DIGITS = 6;

  private StopSavepoints() {}

  /**
   * Moves those of the job's runs to the job's other state. Savepoints that did not stop a run are
   * the user's, and stay.
   *
   * @param savepoints the cluster's folder, which need not exist
   */
  public static void moveTo(CheckpointFolder folder, Path savepoints) throws IOException {
    for (Path savepoint : in(savepoints)) {
      String run = savepoint.getFileName().toString().substring(PREFIX.length());
      if (folder.hasRun(run.substring(0, DIGITS)) && hasStoppedItsRun(savepoint)) {
        move(savepoint, folder.path());
      }
    }
  }

  private static void move(Path savepoint, Path folder) throws IOException {
    try {
      Files.move(savepoint, folder.resolve(savepoint.getFileName()));
    } catch (IOException e) {
      throw new IOException(
          "%s: cannot move the savepoint to %s: %s; move it there by hand"
              .formatted(savepoint, folder, Reason.of(e)),
          e);
    }
  }

  private static List<Path> in(Path savepoints) throws IOException {
    try (Stream<Path> all = Files.list(savepoints)) {
      return all.filter(each -> each.getFileName().toString().matches(PREFIX + "[0-9a-f]{6}-.*"))
          .filter(each -> Files.exists(each.resolve(CheckpointFolder.LAST_WRITTEN)))
          .toList();
    } catch (NoSuchFileException noClusterYet) {
      return List.of();
    }
  }

  private static boolean hasStoppedItsRun(Path savepoint) throws IOException {
    CheckpointProperties properties =
        CheckpointFolder.metadata(savepoint).getCheckpointProperties();
    return properties != null && properties.isSynchronous();
  }
}
