// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.flink;

import dev.flowstone.processes.LoopbackPorts;
import dev.flowstone.testbed.docs.ContainerFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A JobManager and a TaskManager as the image's containers run them: its entry point, the commands
 * of the Compose file, its Flink. All on localhost, without containers. Its maker closes it.
 */
public final class ImageFlink implements AutoCloseable {
  private static final String LOCALHOST = "localhost";
  private static final long END_LIMIT_SECONDS = 30;
  private static final Path ENTRYPOINT =
      ContainerFiles.FOLDER.resolve("image/docker-entrypoint.sh").toAbsolutePath();

  private final Path home;
  private final int restPort = LoopbackPorts.claimFree();
  private final Process jobManager;
  private Process taskManager;

  private ImageFlink(Path home) throws IOException {
    this.home = home;
    // Containers have addresses of their own.
    Files.writeString(
        home.resolve("conf/config.yaml"),
        """
        jobmanager.rpc.address: %1$s
        jobmanager.rpc.port: %2$d
        jobmanager.bind-host: %1$s
        rest.address: %1$s
        rest.bind-address: %1$s
        rest.port: %3$d
        taskmanager.host: %1$s
        taskmanager.bind-host: %1$s
        """
            .formatted(LOCALHOST, LoopbackPorts.claimFree(), restPort),
        StandardOpenOption.APPEND);
    jobManager = start("jobmanager");
    taskManager = start("taskmanager");
  }

  /**
   * Starts them; returns when they take jobs.
   *
   * @param home of a Flink as the image has it, which is this one's alone
   */
  public static ImageFlink start(Path home) throws Exception {
    ImageFlink started = new ImageFlink(home);
    try (FlinkRest rest = new FlinkRest(started.web())) {
      rest.awaitSlots(2);
      return started;
    } catch (Exception | AssertionError e) {
      started.close();
      throw new AssertionError(started.said(), e);
    }
  }

  public String web() {
    return "http://" + address();
  }

  public String address() {
    return LOCALHOST + ":" + restPort;
  }

  private Process start(String service) throws IOException {
    String command =
        ContainerFiles.services()
            .get(service)
            .get("command")
            .toString()
            .replace("rpc.address=jobmanager", "rpc.address=" + LOCALHOST)
            .replace("taskmanager.rpc.port=6122", "taskmanager.rpc.port=0")
            .replace("/var/lib/flowstone", home.toString());
    List<String> words = new ArrayList<>(List.of(ENTRYPOINT.toString()));
    words.addAll(List.of(command.split(" ", -1)));
    ProcessBuilder builder = new ProcessBuilder(words);
    environment(builder, home, Path.of(System.getProperty("java.home")));
    return builder.redirectErrorStream(true).redirectOutput(output(service)).start();
  }

  /** What a container has, and not what this test's process has by chance. */
  public static void environment(ProcessBuilder builder, Path home, Path java) {
    builder.environment().keySet().removeIf(name -> name.startsWith("FLINK_"));
    builder.environment().put("FLINK_HOME", home.toString());
    builder.environment().put("JAVA_HOME", java.toString());
  }

  private ProcessBuilder.Redirect output(String service) {
    return ProcessBuilder.Redirect.appendTo(home.resolve("log").resolve(service + ".out").toFile());
  }

  /** Kills it, and starts another, as an engine does. */
  public void replaceTaskManager() throws Exception {
    taskManager.destroyForcibly().waitFor();
    taskManager = start("taskmanager");
  }

  private String said() throws IOException {
    StringBuilder said = new StringBuilder();
    for (String service : List.of("jobmanager", "taskmanager")) {
      said.append(Files.readString(home.resolve("log").resolve(service + ".out")));
    }
    return said.toString();
  }

  @Override
  public void close() {
    for (Process process : List.of(taskManager, jobManager)) {
      process.destroy();
      try {
        if (!process.waitFor(END_LIMIT_SECONDS, TimeUnit.SECONDS)) {
          process.destroyForcibly();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
