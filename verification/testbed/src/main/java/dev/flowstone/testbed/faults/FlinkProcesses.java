// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.faults;

import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.LoopbackPorts;
import dev.flowstone.testbed.programs.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint;
import org.apache.flink.runtime.taskexecutor.TaskManagerRunner;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A JobManager and TaskManagers of one slot, each a process of its own. Their maker closes them.
 */
final class FlinkProcesses implements AutoCloseable {
  private static final Duration RETRY_DELAY = Duration.ofMillis(100);
  private static final int MOST_RETRIES = 600;

  private final Path folder;
  private final int restPort;
  private final ChildProcess jobManager;
  private final Deque<ChildProcess> taskManagers = new ArrayDeque<>();
  private int starts;

  private FlinkProcesses(Path folder) throws IOException {
    this.folder = Files.createDirectories(folder);
    restPort = LoopbackPorts.claimFree();
    Files.writeString(
        folder.resolve("config.yaml"), configuration(LoopbackPorts.claimFree(), restPort));
    jobManager = start("job-manager", StandaloneSessionClusterEntrypoint.class);
  }

  /** Starts them; they find each other while jobs are submitted already. */
  static FlinkProcesses start(Path folder, int taskManagers) throws IOException {
    FlinkProcesses started = new FlinkProcesses(folder);
    for (int i = 0; i < taskManagers; i++) {
      started.startTaskManager();
    }
    return started;
  }

  /**
   * Flink requires each part of a TaskManager's memory. Two heartbeats that cannot be delivered
   * reveal a dead process. A process that is only slow has Flink's own time-out of 50 s.
   */
  private static String configuration(int rpcPort, int restPort) {
    return """
        jobmanager.rpc.address: %1$s
        jobmanager.rpc.port: %2$d
        jobmanager.bind-host: %1$s
        rest.address: %1$s
        rest.bind-address: %1$s
        rest.port: %3$d
        taskmanager.host: %1$s
        taskmanager.bind-host: %1$s
        taskmanager.numberOfTaskSlots: 1
        taskmanager.cpu.cores: 1.0
        taskmanager.memory.framework.heap.size: 64m
        taskmanager.memory.framework.off-heap.size: 64m
        taskmanager.memory.task.heap.size: 128m
        taskmanager.memory.task.off-heap.size: 64m
        taskmanager.memory.managed.size: 16m
        taskmanager.memory.network.min: 32m
        taskmanager.memory.network.max: 32m
        taskmanager.memory.jvm-metaspace.size: 128m
        taskmanager.memory.jvm-overhead.min: 64m
        taskmanager.memory.jvm-overhead.max: 64m
        heartbeat.interval: 500
        """
        .formatted(LoopbackPorts.HOST, rpcPort, restPort);
  }

  private ChildProcess start(String name, Class<?> program) throws IOException {
    return ChildProcess.start(
        Programs.of(folder, name, program.getName(), List.of("--configDir", folder.toString()))
            .withJvmOptions(
                "-Xmx384m", "-XX:+UseSerialGC", "-Dflowstone.log=" + folder.resolve(name + ".log")),
        ChildOutput.gatheredIn(folder));
  }

  void startTaskManager() throws IOException {
    taskManagers.add(start("task-manager-" + ++starts, TaskManagerRunner.class));
  }

  /** The one that was started first. */
  void killTaskManager() throws Exception {
    ChildProcess oldest = taskManagers.remove();
    oldest.requireRunning();
    oldest.kill();
  }

  /** Whose jobs run here. */
  StreamExecutionEnvironment environment(Configuration special) {
    Configuration configuration = new Configuration(special);
    // It may still be on its way up.
    configuration.set(RestOptions.RETRY_DELAY, RETRY_DELAY);
    configuration.set(RestOptions.RETRY_MAX_ATTEMPTS, MOST_RETRIES);
    return StreamExecutionEnvironment.createRemoteEnvironment(
        LoopbackPorts.HOST, restPort, configuration);
  }

  /** Its web UI. */
  String web() {
    return "http://" + LoopbackPorts.HOST + ":" + restPort;
  }

  @Override
  public void close() {
    taskManagers.forEach(ChildProcess::close);
    jobManager.close();
  }
}
