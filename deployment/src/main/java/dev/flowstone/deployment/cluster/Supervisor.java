// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.cluster;

import dev.flowstone.deployment.Installation;
import dev.flowstone.offheap.FileLock;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/**
 * Runs a cluster's processes until it is told to end by SIGTERM, and starts again what dies. They
 * end with it, however it ends. Argument: how many TaskManagers.
 */
final class Supervisor {
  static final String LOG = "supervisor.log";

  private static final int FAILED = 1;
  private static final long LOOK_INTERVAL_MS = 100;

  private final ClusterFolder folder;
  private final List<SupervisedProcess> processes = new ArrayList<>();
  private Properties told = new Properties();

  private Supervisor(ClusterFolder folder, int taskManagers) throws IOException {
    this.folder = folder;
    ClusterPrograms programs = new ClusterPrograms(folder, Installation.find());
    processes.add(new SupervisedProcess(programs.jobManager(), folder.log()));
    for (int number = 1; number <= taskManagers; number++) {
      processes.add(new SupervisedProcess(programs.taskManager(number), folder.log()));
    }
  }

  private void run() throws IOException, InterruptedException {
    while (true) {
      long nowNs = System.nanoTime();
      for (SupervisedProcess process : processes) {
        process.look(nowNs).ifPresent(System.out::println);
      }
      tell();
      Thread.sleep(LOOK_INTERVAL_MS);
    }
  }

  /** For {@code ./flowstone cluster status}. */
  private void tell() throws IOException {
    Properties now = new Properties();
    processes.forEach(process -> now.setProperty(process.name(), process.describe()));
    if (!now.equals(told)) {
      told = now;
      Path unfinished = folder.status().resolveSibling("processes.new");
      try (OutputStream out = Files.newOutputStream(unfinished)) {
        now.store(out, null);
      }
      Files.move(unfinished, folder.status(), StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /** TaskManagers first: they would look for a JobManager that is gone. */
  private void stop() {
    processes.reversed().forEach(SupervisedProcess::close);
  }

  public static void main(String[] arguments) throws InterruptedException {
    try {
      ClusterFolder folder = ClusterFolder.find();
      Optional<FileLock> lock = folder.take();
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
