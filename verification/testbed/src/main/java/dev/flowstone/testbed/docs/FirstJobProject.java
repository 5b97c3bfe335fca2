// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.docs;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.flowstone.testbed.programs.ProjectRoot;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A copy of the project docs/first-job, built and run as docs/first-job.md says. Maven keeps what
 * it needs for that in build/first-job-maven, so that nothing of this build gets into the user's
 * own repository; it takes from there what is there already.
 */
public final class FirstJobProject {
  private static final String CONFIGURATION = "conf";
  private static final int LIMIT_SECONDS = 300;
  private static final Pattern NO_NETWORK =
      Pattern.compile(
          "Unknown host|Could not transfer|Connection (refused|timed out)|Network is unreachable");

  private final Path folder;
  private final Path repository;
  private final Path mavenRepository = ProjectRoot.find().resolve("build/first-job-maven");
  private final Path settings;

  /** A copy in a folder of the caller's. */
  public FirstJobProject(Path folder) throws IOException, InterruptedException {
    this.folder = folder.resolve("first-job");
    this.repository = FlowstoneRepository.in(folder);
    this.settings = Files.writeString(folder.resolve("settings.xml"), settings());
    copy(ProjectRoot.find().resolve("docs/first-job"), this.folder);
    // Flink's own on any machine, whatever number of processors it has.
    Files.writeString(
        Files.createDirectories(this.folder.resolve(CONFIGURATION)).resolve("config.yaml"),
        "parallelism.default: 2\n");
    // What an earlier run has fetched of Flowstone is not today's.
    delete(mavenRepository.resolve("dev/flowstone"));
  }

  /** Builds the jar and, with the same Maven, runs the job in a process of its own. */
  public String packageAndRun(String arguments) throws IOException, InterruptedException {
    Finished maven =
        run(
            List.of(
                "mvn",
                "--batch-mode",
                "--quiet",
                "-Dstyle.color=never",
                "--global-settings",
                settings.toString(),
                "-Dmaven.repo.local=" + mavenRepository,
                "-Dflowstone.repository=" + repository.toUri(),
                "package",
                "exec:exec",
                "-Djob.args=" + arguments));
    assumeFalse(
        maven.status != 0 && NO_NETWORK.matcher(maven.output).find(),
        "Maven could not fetch what docs/first-job needs beside this build: " + maven.output);
    return maven.requireSuccess();
  }

  /** Hands the jar to Flink's command line, which knows Flink and nothing of Flowstone. */
  public String runJar(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
    command.add("@" + ProjectRoot.find().resolve("build-support/jvm.options"));
    command.addAll(List.of("-cp", libraries(), "org.apache.flink.client.cli.CliFrontend"));
    command.addAll(List.of("run", "-t", "local", "target/first-job-1.jar"));
    command.addAll(arguments);
    return run(command).requireSuccess();
  }

  /** This test's class path without what is built here. */
  private static String libraries() {
    String root = ProjectRoot.find().toString();
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !entry.startsWith(root))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private record Finished(List<String> command, int status, String output, String errors) {
    String requireSuccess() {
      if (status != 0) {
        throw new AssertionError(
            String.join(" ", command) + ": status " + status + "\n" + output + errors);
      }
      return output;
    }
  }

  private Finished run(List<String> command) throws IOException, InterruptedException {
    Path output = Files.createTempFile(folder, "output", ".txt");
    Path errors = Files.createTempFile(folder, "errors", ".txt");
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("FLINK_CONF_DIR", folder.resolve(CONFIGURATION).toString());
    Process process =
        builder.redirectOutput(output.toFile()).redirectError(errors.toFile()).start();
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    return new Finished(
        command, process.exitValue(), Files.readString(output), Files.readString(errors));
  }

  /** Whatever this build has fetched need not be fetched again. */
  private static String settings() {
    String fetched =
        System.getProperty("localRepository", System.getProperty("user.home") + "/.m2/repository");
    String place =
        "<id>fetched</id><url>"
            + Path.of(fetched).toUri()
            + "</url><releases><checksumPolicy>ignore</checksumPolicy></releases>"
            + "<snapshots><enabled>false</enabled></snapshots>";
    return "<settings><profiles><profile><id>fetched</id><repositories><repository>"
        + place
        + "</repository></repositories><pluginRepositories><pluginRepository>"
        + place
        + "</pluginRepository></pluginRepositories></profile></profiles>"
        + "<activeProfiles><activeProfile>fetched</activeProfile></activeProfiles></settings>";
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(f -> !from.relativize(f).startsWith("target")).toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path emptied, IOException failure)
              throws IOException {
            Files.delete(emptied);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
