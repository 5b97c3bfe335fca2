// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.exchange;

import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How many rings each folder's tap fills, as seen on this machine when a job is built.
 *
 * @param ringCounts of each folder; 0 where no ring can be seen
 */
public record RingsHere(List<Integer> ringCounts) {
  public RingsHere {
    ringCounts = List.copyOf(ringCounts);
  }

  public static RingsHere in(List<String> directories) {
    List<Integer> counts = new ArrayList<>();
    for (String directory : directories) {
      counts.add(ringCount(new RingDirectory(Path.of(directory))));
    }
    return new RingsHere(counts);
  }

  private static int ringCount(RingDirectory directory) {
    try {
      List<Path> files = directory.ringFiles();
      if (files.isEmpty()) {
        return 0;
      }
      try (RingFile ring = RingFile.open(files.getFirst())) {
        return ring.identity().ringCount();
      }
    } catch (RingFileException unreadable) {
      return 0;
    }
  }

  /** Whether so many subtasks share the rings evenly. */
  public boolean fit(int parallelism) {
    return ringCounts.stream().allMatch(count -> count > 0 && count % parallelism == 0);
  }

  @Override
  public String toString() {
    return "rings per folder seen here " + ringCounts;
  }
}
