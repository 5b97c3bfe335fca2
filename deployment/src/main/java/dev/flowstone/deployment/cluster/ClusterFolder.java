// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.cluster;

import dev.flowstone.deployment.StateFolder;
import dev.flowstone.deployment.Supervision;
import dev.flowstone.harness.ScratchFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ConfigurationUtils;
import org.apache.flink.configuration.GlobalConfiguration;

/** All that this user's cluster has on disk. Whoever supervises it holds its lock. */
public record ClusterFolder(Path path) {
  private static final String CONFIGURATION_FILE = "config.yaml";

  public static ClusterFolder find() {
    return new ClusterFolder(StateFolder.find().cluster());
  }

  /** As Flink's processes and clients are told it. */
  public Path configurationFolder() {
    return path.resolve("conf");
  }

  Path log() {
    return path.resolve("log");
  }

  Path status() {
    return path.resolve("processes.properties");
  }

  Path scratch() {
    return path.resolve("tmp");
  }

  Path checkpoints() {
    return path.resolve("checkpoints");
  }

  /** Of all jobs, by {@code flink stop} and {@code flink savepoint}, unless these name another. */
  public Path savepoints() {
    return path.resolve("savepoints");
  }

  void make() throws IOException {
    StateFolder.make(path);
    for (Path folder :
        new Path[] {configurationFolder(), log(), scratch(), checkpoints(), savepoints()}) {
      StateFolder.make(folder);
    }
  }

  /** Processes that were killed leave files there; only while none run. */
  void emptyScratch() throws IOException {
    ScratchFolder.deleteLeft(scratch());
    StateFolder.make(scratch());
  }

  Supervision supervision() {
    return new Supervision(path, log().resolve("supervisor.log"), Supervisor.class);
  }

  /** Whether it has a supervisor, and so processes that run. */
  public boolean isSupervised() {
    return supervision().isActive();
  }

  void write(Configuration configuration) throws IOException {
    Files.write(
        configurationFolder().resolve(CONFIGURATION_FILE),
        ConfigurationUtils.convertConfigToWritableLines(configuration, false));
  }

  public Configuration configuration() {
    return GlobalConfiguration.loadConfiguration(configurationFolder().toString());
  }
}
