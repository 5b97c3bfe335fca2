// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Many captures through one cluster, a few at a time. */
final class InspectRun implements AutoCloseable {
  /** Captures in hand at the same time; each is a tap and two subtasks. */
  private static final int MOST_AT_A_TIME = 4;

  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  private final Path folder;
  private final InspectFlink flink;
  private final ExecutorService taps;
  private final Thread cleaner;

  private final Inspector inspector;

  private InspectRun(Path folder, InspectFlink flink, InspectLimits limits, int atATime) {
    this.folder = folder;
    this.flink = flink;
    inspector = new Inspector(flink, folder, limits);
    taps = Executors.newFixedThreadPool(atATime, Thread.ofPlatform().name("tap-", 0).factory());
    cleaner = new Thread(() -> delete(folder), "inspect-clean-up");
    Runtime.getRuntime().addShutdownHook(cleaner);
  }

  static InspectRun start(int files) throws Exception {
    return start(files, InspectLimits.ofHeap(Runtime.getRuntime().maxMemory()));
  }

  static InspectRun start(int files, InspectLimits limits) throws Exception {
    int atATime = Math.min(files, MOST_AT_A_TIME);
    InspectFlink flink = InspectFlink.start(atATime);
    Path parent =
        Files.isWritable(SHARED_MEMORY)
            ? SHARED_MEMORY
            : Path.of(System.getProperty("java.io.tmpdir"));
    return new InspectRun(
        Files.createTempDirectory(parent, "flowstone-inspect-"), flink, limits, atATime);
  }

  /** Gives the answers in the order of the files, each as soon as it is its turn. */
  void inspect(List<String> files, Consumer<Inspection> consumer) throws Exception {
    Queue<Future<Inspection>> inspections = new ArrayDeque<>();
    for (String file : files) {
      inspections.add(taps.submit(() -> inspector.inspect(file)));
    }
    while (!inspections.isEmpty()) {
      consumer.accept(inspections.remove().get());
    }
  }

  @Override
  public void close() {
    taps.shutdownNow();
    flink.close();
    delete(folder);
    Runtime.getRuntime().removeShutdownHook(cleaner);
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      System.err.println("warning: " + folder + " is left over: " + e);
    }
  }
}
