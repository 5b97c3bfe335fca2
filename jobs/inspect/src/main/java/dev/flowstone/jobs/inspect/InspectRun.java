// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import dev.flowstone.harness.FatalErrors;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.inspect.count.InspectLimits;
import dev.flowstone.jobs.inspect.report.Inspection;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** Many captures through one cluster, a few at a time. */
final class InspectRun implements AutoCloseable {
  /** Captures in hand at the same time; each is a tap and two subtasks. */
  private static final int MOST_AT_A_TIME = 4;

  /** Flink would end this program with it, and without a word. */
  private static final int FAILED = 1;

  private final ScratchFolder folder;
  private final MemoryWatch memory;
  private final InspectFlink flink;
  private final ExecutorService taps;
  private final Inspector inspector;

  private InspectRun(
      ScratchFolder folder,
      MemoryWatch memory,
      InspectFlink flink,
      InspectLimits limits,
      int atATime) {
    this.folder = folder;
    this.memory = memory;
    this.flink = flink;
    inspector = new Inspector(flink, folder.path(), limits);
    taps = Executors.newFixedThreadPool(atATime, Thread.ofPlatform().name("tap-", 0).factory());
  }

  static InspectRun start(int files) throws Exception {
    long heapBytes = Runtime.getRuntime().maxMemory();
    return start(files, InspectLimits.ofHeap(heapBytes, InspectFlink.PARALLELISM));
  }

  static InspectRun start(int files, InspectLimits limits) throws Exception {
    int atATime = Math.min(files, MOST_AT_A_TIME);
    ScratchFolder folder = ScratchFolder.inMemory("inspect");
    MemoryWatch memory = MemoryWatch.start(folder);
    FatalErrors.listen(
        error -> {
          if (error instanceof OutOfMemoryError) {
            memory.end();
          } else {
            giveUp(error, folder);
          }
        });
    return new InspectRun(folder, memory, InspectFlink.start(atATime), limits, atATime);
  }

  private static void giveUp(Throwable error, ScratchFolder folder) {
    try {
      System.err.println("flowstone: " + FatalErrors.explain(error));
      folder.close();
    } finally {
      Runtime.getRuntime().halt(FAILED);
    }
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
    folder.close();
    memory.close();
  }
}
