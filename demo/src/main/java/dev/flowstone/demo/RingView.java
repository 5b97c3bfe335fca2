// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingLanes;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** Looks at the rings' headers from outside, as an operator would. Closes them with itself. */
final class RingView implements AutoCloseable {
  private final List<RingFile> files = new ArrayList<>();

  RingView(RingDirectory directory, int ringCount) {
    for (int ring = 0; ring < ringCount; ring++) {
      files.add(RingFile.open(directory.ringFile(ring)));
    }
  }

  static boolean isThere(RingDirectory directory, int ringCount) {
    return Files.exists(directory.ringFile(ringCount - 1));
  }

  List<RingCounters> counters() {
    return files.stream().map(RingFile::counters).toList();
  }

  /** Share of each ring that its readers still hold. */
  List<Double> occupancies() {
    return files.stream().map(RingView::occupancy).toList();
  }

  private static double occupancy(RingFile file) {
    long position = file.position();
    long held =
        file.lanes().occupants().stream()
            .mapToLong(RingLanes.Occupant::releasedPosition)
            .min()
            .orElse(position);
    return (double) (position - held) / file.identity().slotCount();
  }

  @Override
  public void close() {
    files.forEach(RingFile::close);
  }
}
