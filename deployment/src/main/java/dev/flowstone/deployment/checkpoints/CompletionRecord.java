// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.checkpoints;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.OptionalLong;

/**
 * The number of the newest checkpoint that a run completed, in a file beside the checkpoints.
 * Flink's own files do not show it: a folder without metadata is left by a checkpoint that never
 * completed and by one whose metadata was lost.
 */
public record CompletionRecord(Path folder) {
  static final String FILE_NAME = "newest-completed";

  /** The file holds the former number or this one, also where the process is killed meanwhile. */
  void write(long number) throws IOException {
    Path unfinished = folder.resolve(FILE_NAME + ".new");
    Files.writeString(unfinished, Long.toString(number));
    Files.move(unfinished, file(), StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Empty: no run has recorded one.
   *
   * @throws IOException if something else is in the file
   */
  OptionalLong number() throws IOException {
    try {
      return OptionalLong.of(Long.parseLong(Files.readString(file()).strip()));
    } catch (NoSuchFileException none) {
      return OptionalLong.empty();
    } catch (NumberFormatException e) {
      throw new IOException(
          file()
              + ": expected the number of a checkpoint; remove the file to resume from the newest"
              + " checkpoint found, or pass --fresh",
          e);
    }
  }

  boolean isThere() {
    return Files.exists(file());
  }

  /** For runs that record none: what they complete makes the number obsolete. */
  public void delete() throws IOException {
    Files.deleteIfExists(file());
  }

  private Path file() {
    return folder.resolve(FILE_NAME);
  }
}
