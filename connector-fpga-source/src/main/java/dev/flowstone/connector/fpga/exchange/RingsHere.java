// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.exchange;

import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The rings that are seen on this machine when a job is built.
 *
 * @param folders what is seen of each folder's rings; fewer than were asked for when some show none
 */
public record RingsHere(List<Folder> folders, int askedFor) {

  /** How many rings a tap fills, by how many key groups. */
  public record Folder(Path path, int ringCount, int maxParallelism) {}

  public RingsHere {
    folders = List.copyOf(folders);
  }

  public static RingsHere in(List<String> directories) {
    List<Folder> folders = new ArrayList<>();
    for (String directory : directories) {
      look(new RingDirectory(Path.of(directory))).ifPresent(folders::add);
    }
    return new RingsHere(folders, directories.size());
  }

  /** All rings of a folder are made at once, so one speaks for the others. */
  private static Optional<Folder> look(RingDirectory directory) {
    for (Path file : directory.ringFiles()) {
      try (RingFile ring = RingFile.open(file)) {
        return Optional.of(
            new Folder(
                directory.path(), ring.identity().ringCount(), ring.identity().maxParallelism()));
      } catch (RingFileException unreadable) {
        // Perhaps the next one.
      }
    }
    return Optional.empty();
  }

  /** Rings in all folders together; 0: some show none yet, or are on other machines. */
  public int count() {
    return folders.size() == askedFor ? folders.stream().mapToInt(Folder::ringCount).sum() : 0;
  }

  /** Whether each of so many subtasks finds its key groups in rings of its own. */
  public boolean fit(int parallelism, int maxParallelism) {
    return folders.size() == askedFor
        && folders.stream()
            .allMatch(
                folder ->
                    folder.ringCount() % parallelism == 0
                        && folder.maxParallelism() == maxParallelism);
  }

  @Override
  public String toString() {
    return "rings seen here in " + folders.size() + " of " + askedFor + " folders: " + folders;
  }
}
