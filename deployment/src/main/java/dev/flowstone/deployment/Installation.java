// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment;

import dev.flowstone.processes.ClassPathList;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;

/**
 * Where this program is, and what came with it: the project's folder after a build, or an unpacked
 * distribution. The launcher says where.
 */
public record Installation(Path home) {
  private static final String HOME = "flowstone.home";
  private static final String CONFIGURATION = "FLINK_CONF_DIR";
  private static final String DISTRIBUTION = "FLINK_HOME";

  public static Installation find() {
    String home = System.getProperty(HOME);
    if (home == null) {
      throw new IllegalStateException("-D" + HOME + " is not set: start this with ./flowstone");
    }
    return new Installation(Path.of(home));
  }

  /** The folder of Flink's {@code config.yaml}: the user's, or the one that came with us. */
  public Path configurationFolder() {
    return Optional.ofNullable(System.getenv(CONFIGURATION))
        .map(Path::of)
        .orElse(home.resolve("flink-conf"));
  }

  public Configuration configuration() {
    Path folder = configurationFolder();
    if (!Files.isReadable(folder.resolve("config.yaml"))) {
      throw new IllegalArgumentException(
          "no config.yaml in " + folder + ": " + CONFIGURATION + " must name a folder with one");
    }
    return GlobalConfiguration.loadConfiguration(folder.toString());
  }

  /** Of the processes of a cluster: a distribution of the user's, or the jars that we have. */
  public String flinkClassPath() throws IOException {
    String distribution = System.getenv(DISTRIBUTION);
    if (distribution == null) {
      return ownFlink();
    }
    Path libraries = Path.of(distribution).toAbsolutePath().resolve("lib");
    if (jarsIn(libraries, "flink-dist*.jar").isEmpty()) {
      throw new IllegalArgumentException(
          DISTRIBUTION + " is " + distribution + ", but there is no lib/flink-dist*.jar in it");
    }
    return libraries + File.separator + "*";
  }

  private String ownFlink() throws IOException {
    return ClassPathList.read(home.resolve("flink-conf/target/runtime.classpath"));
  }

  /** What a cluster is sent for a job: the job, our modules and Kafka's clients, without Flink. */
  public Path clusterJar(String job) throws IOException {
    Path folder = home.resolve("jobs").resolve(job).resolve("target");
    List<Path> found = jarsIn(folder, "*-cluster.jar");
    if (found.size() != 1) {
      throw new IOException(
          "there must be one *-cluster.jar in " + folder + ", but there are " + found.size());
    }
    return found.getFirst();
  }

  private static List<Path> jarsIn(Path folder, String pattern) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, pattern)) {
      List<Path> found = new ArrayList<>();
      files.forEach(found::add);
      return found;
    }
  }
}
