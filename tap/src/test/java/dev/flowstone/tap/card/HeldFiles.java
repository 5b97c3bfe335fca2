// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingStart;
import java.util.ArrayList;
import java.util.List;

/**
 * Blocking readers of a tap's ring files from before the first record, which read nothing. They
 * hold the files of one start.
 */
final class HeldFiles implements AutoCloseable {
  private final MadeFiles files;
  private final List<RingFile> held = new ArrayList<>();
  private final List<GatingReader> readers = new ArrayList<>();

  HeldFiles(MadeFiles files) {
    this.files = files;
    files.whenMade = this::hold;
  }

  private void hold() {
    files.whenMade = () -> {};
    for (int ring = 0; ring < MadeFiles.SHAPE.ringCount(); ring++) {
      RingFile file = RingFile.open(files.directory().ringFile(ring));
      held.add(file);
      readers.add(new GatingReader(file, "holds", RingStart.OLDEST));
    }
  }

  /** Frees the slots. */
  void leave() {
    readers.forEach(GatingReader::leave);
  }

  @Override
  public void close() {
    held.forEach(RingFile::close);
  }
}
