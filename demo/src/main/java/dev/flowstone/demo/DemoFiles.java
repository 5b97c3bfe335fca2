// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.harness.DemoAddresses;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.offheap.FileLock;
import dev.flowstone.offheap.Reason;
import dev.flowstone.offheap.ring.RingDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.regex.Pattern;

/**
 * All that the demo leaves anywhere: its rings, in memory if possible, a folder of files, and a
 * file that says where its parts are. Holds a lock in both folders, by which others see that it
 * lives.
 */
final class DemoFiles {
  /** Of Flink, the tap and the broker, and what their JVMs say when they crash. */
  private static final Pattern LOG =
      Pattern.compile("flink\\.log|broker\\.log|(tap|broker|questdb)\\.(out|err|crash)");

  private final ScratchFolder folder;
  private final RingDirectory rings;
  private final List<FileLock> locks;
  private volatile boolean keepsLogs;
  private volatile Runnable withdrawal = () -> {};

  private DemoFiles(ScratchFolder folder, RingDirectory rings, List<FileLock> locks) {
    this.folder = folder;
    this.rings = rings;
    this.locks = locks;
  }

  static DemoFiles create(DemoPlaces places) throws IOException {
    ScratchFolder folder = ScratchFolder.in(places.data(), "demo");
    FileLock ofFolder = lock(folder.path());
    RingDirectory rings =
        new RingDirectory(
            places.rings().equals(places.data())
                ? folder.path().resolve("rings")
                : places.rings().resolve(Leftovers.PREFIX + ProcessHandle.current().pid()));
    // Whoever looks for what others left sees the folder with its lock or not at all.
    Path unseen = Files.createTempDirectory(places.rings(), ".flowstone-");
    FileLock ofRings = lock(unseen);
    Files.move(unseen, rings.path(), StandardCopyOption.ATOMIC_MOVE);
    return new DemoFiles(folder, rings, List.of(ofFolder, ofRings));
  }

  /** Until this process ends, however it does. */
  private static FileLock lock(Path folder) throws IOException {
    return FileLock.tryTake(Files.createFile(folder.resolve(Leftovers.LOCK))).orElseThrow();
  }

  Path folder() {
    return folder.path();
  }

  RingDirectory rings() {
    return rings;
  }

  Path flinkLog() {
    return folder.path().resolve("flink.log");
  }

  /** For clients of this user's, as long as the demo runs. */
  void announce(DemoAddresses addresses) {
    DemoAddresses.usualFile()
        .ifPresent(
            file -> {
              withdrawal = () -> tellingFailure(file, () -> addresses.remove(file));
              tellingFailure(file, () -> addresses.write(file));
            });
  }

  private interface Change {
    void make() throws IOException;
  }

  /** The demo does without: its addresses are on the terminal, too. */
  private static void tellingFailure(Path file, Change change) {
    try {
      change.make();
    } catch (IOException e) {
      System.err.println(
          "warning: where the demo is cannot be kept in " + file + ": " + Reason.of(e));
    }
  }

  /** What failed may say more there than fits a line: they stay. */
  void keepLogs() {
    keepsLogs = true;
  }

  void remove() {
    withdrawal.run();
    removeRings();
    if (keepsLogs) {
      removeAllButLogs();
    }
    folder.close();
    locks.forEach(FileLock::close);
  }

  private void removeRings() {
    try {
      Files.deleteIfExists(rings.path().resolve(Leftovers.LOCK));
    } catch (IOException e) {
      System.err.println("warning: " + rings.path() + " cannot be removed: " + Reason.of(e));
    }
    rings.delete();
  }

  private void removeAllButLogs() {
    try {
      folder.keep(file -> LOG.matcher(file.getFileName().toString()).matches());
    } catch (IOException e) {
      // What failed before matters more.
      System.err.println("not all but the logs could be removed: " + Reason.of(e));
    }
    System.err.println("logs: " + folder.path());
  }
}
