// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.flink;

import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.programs.ProjectRoot;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code ./flowstone job}, {@code cluster} and {@code submit} as the launcher runs them, with a
 * state folder of their own.
 */
public final class DeploymentCommands {
  private static final String PACKAGE = "dev.flowstone.deployment.";
  private static final Duration LIMIT = Duration.ofMinutes(3);

  /** For short runs: to compile well takes longer than it saves. */
  private static final String FAST_START = "-XX:TieredStopAtLevel=1";

  private final Path folder;
  private final List<String> environment = new ArrayList<>();
  private int started;

  /**
   * @param variables of the environment, such as {@code FLINK_HOME=…}
   */
  public DeploymentCommands(Path folder, String... variables) {
    this.folder = folder;
    environment.addAll(
        List.of("env", "--default-signal=INT", "--unset=FLINK_HOME", "FLOWSTONE_STATE=" + state()));
    environment.addAll(List.of(variables));
  }

  public Path state() {
    return folder.resolve("state");
  }

  public ChildProcess job(String... arguments) throws IOException {
    return start("job.JobCommand", environment, arguments);
  }

  /** What it says, when it has ended well. */
  public String cluster(String... arguments) throws IOException, InterruptedException {
    return outputOf(startCluster(arguments));
  }

  ChildProcess startCluster(String... arguments) throws IOException {
    List<String> inherited = new ArrayList<>(environment);
    inherited.add("JDK_JAVA_OPTIONS=" + FAST_START);
    return start("cluster.ClusterCommand", inherited, arguments);
  }

  public String submit(String... arguments) throws IOException, InterruptedException {
    return outputOf(startSubmit(arguments));
  }

  public ChildProcess startSubmit(String... arguments) throws IOException {
    return start("submit.SubmitCommand", environment, arguments);
  }

  /** Flink's own command line, told where the cluster is that runs here. */
  public String flink(String... arguments) throws IOException, InterruptedException {
    List<String> told = new ArrayList<>(environment);
    told.add("FLINK_CONF_DIR=" + state().resolve("cluster/conf"));
    return outputOf(startProgram("org.apache.flink.client.cli.CliFrontend", told, arguments));
  }

  private static String outputOf(ChildProcess started) throws IOException, InterruptedException {
    try (started) {
      Programs.requireSuccess(started, LIMIT);
      return started.output();
    }
  }

  private ChildProcess start(String command, List<String> launcher, String... arguments)
      throws IOException {
    return startProgram(PACKAGE + command, launcher, arguments);
  }

  private ChildProcess startProgram(String mainClass, List<String> launcher, String... arguments)
      throws IOException {
    String name = mainClass.substring(mainClass.lastIndexOf('.') + 1) + "-" + ++started;
    JavaProgram program =
        Programs.of(folder, name, mainClass, List.of(arguments))
            .withLauncher(launcher.toArray(String[]::new))
            .withJvmOptions(
                "-Dflowstone.home=" + ProjectRoot.find(), "-Xmx1g", "-XX:+UseSerialGC", FAST_START);
    return ChildProcess.start(program, ChildOutput.gatheredIn(folder));
  }
}
