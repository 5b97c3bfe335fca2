// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.cluster;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.deployment.Installation;
import dev.flowstone.deployment.LocalPort;
import dev.flowstone.deployment.MetricsOption;
import dev.flowstone.deployment.StateFolder;
import dev.flowstone.monitoring.ClusterView;
import dev.flowstone.offheap.FileLock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./flowstone cluster start}. */
@Command(
    name = "start",
    mixinStandardHelpOptions = true,
    description = "Starts a cluster and returns when it can take jobs.")
final class StartCommand implements Callable<Integer> {
  private static final Duration START_LIMIT = Duration.ofMinutes(2);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

  /** Each process unpacks a jar of 24 MB at its start and keeps the jars of its jobs. */
  private static final long MIN_FREE_BYTES = 64 << 20;

  private static final int MOST_TASK_MANAGERS = 64;

  @Option(
      names = "--task-managers",
      paramLabel = "N",
      defaultValue = "1",
      description = "Processes that run tasks. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "1", to = "" + MOST_TASK_MANAGERS)
  private int taskManagers;

  @Option(
      names = "--slots",
      paramLabel = "N",
      defaultValue = "2",
      description = "Subtasks of a pipeline in each of them at a time. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "1")
  private int slots;

  @Option(
      names = "--web-port",
      paramLabel = "PORT",
      defaultValue = "8081",
      description =
          "Port of web UI and REST on localhost; 0: any free one. Default ${DEFAULT-VALUE}.")
  @Allowed(from = "0", to = "" + LocalPort.MOST)
  private int webPort;

  @Mixin private MetricsOption metrics = new MetricsOption();

  private Optional<String> metricsPorts = Optional.empty();

  @Override
  public Integer call() throws Exception {
    ClusterFolder folder = ClusterFolder.find();
    folder.make();
    try (FileLock _ =
        folder.supervision().takeTurnToStart().orElseThrow(StartCommand::anotherStart)) {
      return start(folder);
    }
  }

  private static IOException anotherStart() {
    return new IOException("another ./flowstone cluster start is under way here: wait for it");
  }

  private int start(ClusterFolder folder) throws IOException, InterruptedException {
    if (folder.isSupervised()) {
      throw new IOException(
          "a cluster runs here already, at "
              + ClusterView.of(folder.configuration()).address()
              + ": ./flowstone cluster stop, or status");
    }
    folder.emptyScratch();
    StateFolder.requireSpace(
        folder.scratch(), MIN_FREE_BYTES * (1 + taskManagers), "the temporary files of Flink");
    Installation.find().flinkClassPath();
    folder.write(configuration(folder));
    ClusterView view = ClusterView.of(folder.configuration());
    Process supervisor = startSupervisor(folder);
    Thread atSignal = new Thread(StartCommand::sayThatItGoesOn, "start-interrupted");
    Runtime.getRuntime().addShutdownHook(atSignal);
    try {
      awaitReady(supervisor, folder, view);
    } finally {
      forget(atSignal);
    }
    System.out.printf(
        "Flink is ready  TaskManagers: %d  slots of each: %d%n  web          %s%n  logs         %s%n",
        taskManagers, slots, view.address(), folder.log());
    metricsPorts.ifPresent(
        ports -> System.out.println("  metrics      ports " + ports + " of this machine"));
    return 0;
  }

  /** Whoever waits no longer has not ended what was started. */
  private static void sayThatItGoesOn() {
    System.err.println("the cluster goes on starting: ./flowstone cluster stop ends it");
  }

  private static void forget(Thread atSignal) {
    try {
      Runtime.getRuntime().removeShutdownHook(atSignal);
    } catch (IllegalStateException signalled) {
      // It speaks.
    }
  }

  private Configuration configuration(ClusterFolder folder) throws IOException {
    Configuration configuration = Installation.find().configuration();
    int web = LocalPort.requireFree(webPort, "--web-port").number();
    configuration.set(RestOptions.PORT, web);
    configuration.set(RestOptions.BIND_PORT, Integer.toString(web));
    configuration.set(JobManagerOptions.PORT, LocalPort.requireFree(0, "").number());
    configuration.set(TaskManagerOptions.NUM_TASK_SLOTS, slots);
    metricsPorts = metrics.putInto(configuration, 1 + taskManagers);
    unlessSet(configuration, CoreOptions.TMP_DIRS, folder.scratch().toString());
    unlessSet(configuration, WebOptions.TMP_DIR, folder.scratch().toString());
    unlessSet(
        configuration,
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.checkpoints().toUri().toString());
    // The next start of a job looks for its savepoint there.
    configuration.set(
        CheckpointingOptions.SAVEPOINT_DIRECTORY, folder.savepoints().toUri().toString());
    return configuration;
  }

  private static <T> void unlessSet(Configuration configuration, ConfigOption<T> option, T value) {
    if (!configuration.contains(option)) {
      configuration.set(option, value);
    }
  }

  private Process startSupervisor(ClusterFolder folder) throws IOException {
    return folder
        .supervision()
        .start(
            List.of("-Dflowstone.home=" + Installation.find().home()),
            List.of(Integer.toString(taskManagers)));
  }

  private void awaitReady(Process supervisor, ClusterFolder folder, ClusterView view)
      throws IOException, InterruptedException {
    long deadlineNs = System.nanoTime() + START_LIMIT.toNanos();
    while (view.slots().orElse(0) < taskManagers * slots) {
      if (supervisor.waitFor(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IOException("the supervisor has ended: " + folder.supervision().lastWords());
      }
      if (System.nanoTime() - deadlineNs > 0) {
        supervisor.destroy();
        throw new IOException(
            "Flink is not ready after "
                + START_LIMIT.toSeconds()
                + " s: "
                + folder.supervision().lastWords());
      }
    }
  }
}
