// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The end without order, for when something hangs or cannot go on: nothing of the demo is to stay
 * but this process's last words. Any thread may call it.
 */
final class EmergencyStop {
  /** A process of a gibibyte takes a while to go, where the machine is busy. */
  private static final Duration CHILDREN_LIMIT = Duration.ofSeconds(10);

  /** For all of it. */
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final DemoFiles files;
  private volatile boolean begun;

  EmergencyStop(DemoFiles files) {
    this.files = files;
  }

  /** Does not return. */
  void now(int status, String words) {
    begun = true;
    try {
      Thread.ofPlatform().daemon().name("emergency-limit").start(() -> haltAfterLimit(status));
      System.err.println(words);
      // A child that still dies may still write.
      killChildren();
      files.remove();
    } finally {
      Runtime.getRuntime().halt(status);
    }
  }

  private static void haltAfterLimit(int status) {
    LockSupport.parkNanos(LIMIT.toNanos());
    Runtime.getRuntime().halt(status);
  }

  private static void killChildren() {
    List<ProcessHandle> children = ProcessHandle.current().descendants().toList();
    children.forEach(ProcessHandle::destroyForcibly);
    // Nobody may interrupt this: a task of Flink's that calls it may be cancelled meanwhile.
    CompletableFuture.allOf(
            children.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new))
        .completeOnTimeout(null, CHILDREN_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  /**
   * Returns if there is none, else never: what fails then fails because of it, and is neither to be
   * told nor to decide how this process ends.
   */
  void leaveTheEndToIt() {
    while (begun) {
      LockSupport.park(this);
    }
  }
}
