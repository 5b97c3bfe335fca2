// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.cluster;

import dev.flowstone.deployment.Installation;
import dev.flowstone.offheap.FileLock;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Runs a cluster's processes until it is told to end by SIGTERM, and starts again what dies. They
 * end with it, however it ends. A full disk, or a process that cannot be started now, does not end
 * it. Argument: how many TaskManagers.
 */
final class Supervisor {
  /** So long all processes together have to end by themselves. */
  static final Duration STOP_LIMIT = Duration.ofSeconds(10);

  private static final int FAILED = 1;
  private static final long LOOK_INTERVAL_MS = 100;

  private final ClusterFolder folder;
  private final List<SupervisedProcess> processes = new ArrayList<>();
  private final StatusFile status;

  private Supervisor(ClusterFolder folder, int taskManagers) throws IOException {
    this.folder = folder;
    status = new StatusFile(folder.status());
    ClusterPrograms programs = new ClusterPrograms(folder, Installation.find());
    processes.add(new SupervisedProcess(programs.jobManager(), folder.log()));
    for (int number = 1; number <= taskManagers; number++) {
      processes.add(new SupervisedProcess(programs.taskManager(number), folder.log()));
    }
  }

  private void run() throws InterruptedException {
    while (true) {
      long nowNs = System.nanoTime();
      for (SupervisedProcess process : processes) {
        process.look(nowNs).ifPresent(System.out::println);
      }
      status.update(processes).ifPresent(System.out::println);
      Thread.sleep(LOOK_INTERVAL_MS);
    }
  }

  /** TaskManagers are told first: they would look for a JobManager that is gone. */
  private void stop() {
    processes.reversed().forEach(SupervisedProcess::askToEnd);
    long deadlineNs = System.nanoTime() + STOP_LIMIT.toNanos();
    for (SupervisedProcess process : processes) {
      process.end(Duration.ofNanos(Math.max(0, deadlineNs - System.nanoTime())));
    }
    folder.supervision().forget();
  }

  public static void main(String[] arguments) throws InterruptedException {
    try {
      ClusterFolder folder = ClusterFolder.find();
      Optional<FileLock> lock = folder.supervision().take();
      if (lock.isEmpty()) {
        throw new IOException("another supervisor has " + folder.path());
      }
      Supervisor supervisor = new Supervisor(folder, Integer.parseInt(arguments[0]));
      Runtime.getRuntime().addShutdownHook(new Thread(supervisor::stop, "stop-cluster"));
      supervisor.run();
    } catch (IOException | RuntimeException e) {
      System.out.println(Reason.of(e));
      System.exit(FAILED);
    }
  }
}
