// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect;

import dev.flowstone.inspect.count.InspectLimits;
import dev.flowstone.inspect.report.Inspection;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** Answers for many captures, several at a time. */
final class InspectRun implements AutoCloseable {
  private final Inspector inspector;
  private final ExecutorService threads;

  /**
   * @param limits for each capture
   */
  InspectRun(int files, InspectLimits limits) {
    inspector = new Inspector(limits);
    threads =
        Executors.newFixedThreadPool(
            Math.min(files, Runtime.getRuntime().availableProcessors()),
            Thread.ofPlatform().name("inspect-", 0).daemon().factory());
  }

  static InspectRun start(int files) {
    return new InspectRun(files, InspectLimits.ofHeap(Runtime.getRuntime().maxMemory()));
  }

  /** Gives the answers in the order of the files, each as soon as it is its turn. */
  void inspect(List<String> files, Consumer<Inspection> consumer) throws Exception {
    Queue<Future<Inspection>> inspections = new ArrayDeque<>();
    for (String file : files) {
      inspections.add(threads.submit(() -> inspector.inspect(file)));
    }
    while (!inspections.isEmpty()) {
      consumer.accept(inspections.remove().get());
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
