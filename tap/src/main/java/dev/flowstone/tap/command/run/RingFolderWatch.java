// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.run;

import dev.flowstone.offheap.ring.RingFile;
import java.util.List;
import java.util.Optional;

/**
 * Looks once a second whether the ring files that a tap fills are still those that others find
 * under their names. Whoever starts it closes it.
 */
public final class RingFolderWatch implements AutoCloseable {
  private static final long LOOK_MS = 1_000;

  private final List<RingFile> files;
  private final Runnable stop;
  private final Thread thread =
      Thread.ofPlatform().name("tap-folder").daemon().unstarted(this::run);

  private RingFolderWatch(List<RingFile> files, Runnable stop) {
    this.files = files;
    this.stop = stop;
  }

  /**
   * Starts to look.
   *
   * @param stop called once, when a ring file is no longer there
   */
  public static RingFolderWatch start(List<RingFile> files, Runnable stop) {
    RingFolderWatch watch = new RingFolderWatch(files, stop);
    watch.thread.start();
    return watch;
  }

  private void run() {
    try {
      do {
        Thread.sleep(LOOK_MS);
      } while (findGone().isEmpty());
      // Files of a run that is over may be replaced.
      if (!Thread.interrupted()) {
        stop.run();
      }
    } catch (InterruptedException closed) {
      // They were there to the end.
    }
  }

  private Optional<RingFile> findGone() {
    return files.stream().filter(RingFile::isReplaced).findFirst();
  }

  /** Throws if a ring file was taken away, be it a moment ago. */
  public void requireAll() {
    findGone()
        .ifPresent(
            file -> {
              throw new IllegalStateException(
                  file.path()
                      + ": the ring file was removed or replaced under this tap, and what it writes"
                      + " nobody can find; start the tap again");
            });
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
