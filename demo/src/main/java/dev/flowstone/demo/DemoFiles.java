// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.offheap.Reason;
import dev.flowstone.offheap.ring.RingDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** All that the demo leaves anywhere: its rings, in memory if possible, and a folder of files. */
record DemoFiles(ScratchFolder folder, RingDirectory rings) {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  /** Of Flink, the tap and the broker, and what their JVMs say when they crash. */
  private static final Pattern LOG =
      Pattern.compile("flink\\.log|broker\\.log|(tap|broker)\\.(out|err|crash)");

  static DemoFiles create() throws IOException {
    ScratchFolder folder = ScratchFolder.onDisk("demo");
    String name = "flowstone-demo-" + ProcessHandle.current().pid();
    return new DemoFiles(
        folder,
        new RingDirectory(
            Files.isWritable(SHARED_MEMORY)
                ? SHARED_MEMORY.resolve(name)
                : folder.path().resolve("rings")));
  }

  Path flinkLog() {
    return folder.path().resolve("flink.log");
  }

  /** What failed may say more there than fits a line. */
  void keepLogs() {
    try {
      folder.keep(file -> LOG.matcher(file.getFileName().toString()).matches());
    } catch (IOException e) {
      // What failed before matters more.
      System.err.println("not all but the logs could be removed: " + Reason.of(e));
    }
    System.err.println("logs: " + folder.path());
  }

  void remove() {
    rings.delete();
    folder.close();
  }
}
