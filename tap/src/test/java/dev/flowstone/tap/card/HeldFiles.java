// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.offheap.ring.RingStart;
import java.util.ArrayList;
import java.util.List;

/**
 * Readers that hold all space of a tap's ring files as soon as they are there, and read nothing.
 */
final class HeldFiles implements AutoCloseable {
  private static final long LOOK_MS = 1;

  private final List<RingFile> files = new ArrayList<>();
  private final Thread thread;
  private volatile boolean closed;

  HeldFiles(EmulatedTap card) {
    thread = Thread.ofPlatform().start(() -> hold(card));
  }

  private void hold(EmulatedTap card) {
    while (!closed && files.size() < MadeFiles.SHAPE.ringCount()) {
      try {
        RingFile file = RingFile.open(card.files.directory().ringFile(files.size()));
        files.add(file);
        new GatingReader(file, "holds", RingStart.OLDEST);
      } catch (RingFileException notYet) {
        try {
          Thread.sleep(LOOK_MS);
        } catch (InterruptedException e) {
          return;
        }
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted while readers ended", e);
    }
    files.forEach(RingFile::close);
  }
}
