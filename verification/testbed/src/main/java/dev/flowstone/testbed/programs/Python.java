// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.programs;

import dev.flowstone.processes.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A Python that has NumPy, and the scripts of this module, run with the project's own package. */
public final class Python {
  private static final int LIMIT_SECONDS = 120;

  /** How long it may say nothing: as long as a notebook takes. */
  private static final Duration SILENCE = Duration.ofMinutes(5);

  private static final Path OURS = ProjectRoot.find().resolve("build/venv/bin/python");

  private Python() {}

  /** The one that the launcher sets up, else the machine's own. */
  public static Optional<String> find() throws InterruptedException {
    for (String python : List.of(OURS.toString(), "python3")) {
      if (hasNumpy(python)) {
        return Optional.of(python);
      }
    }
    return Optional.empty();
  }

  private static boolean hasNumpy(String python) throws InterruptedException {
    try {
      return new ProcessBuilder(python, "-c", "import numpy")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException notThere) {
      return false;
    }
  }

  /** Whether the launcher has made the environment that notebooks and their package need. */
  public static boolean isSetUp() {
    return Files.isExecutable(OURS);
  }

  /**
   * Runs what is in that environment from the project's root, to its end; returns what it said.
   *
   * @param variables of its environment, such as where it looks for a demo
   */
  public static String runHere(Path folder, Map<String, String> variables, List<String> arguments)
      throws Exception {
    List<String> command = new ArrayList<>(List.of(OURS.toString()));
    command.addAll(arguments);
    Path output = Files.createTempFile(folder, "python", ".out");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(ProjectRoot.find().toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().putAll(variables);
    // The build that this test is of would be waited for by what waits for this test.
    builder.environment().put("FLOWSTONE_BUILT", "yes");
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.start();
    Patience patience = new Patience(SILENCE);
    while (!process.waitFor(1, TimeUnit.SECONDS)) {
      if (patience.isOver(Files.size(output))) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
      }
    }
    if (process.exitValue() != 0) {
      throw new AssertionError(
          String.join(" ", command)
              + ": status "
              + process.exitValue()
              + "\n"
              + Files.readString(output));
    }
    return Files.readString(output);
  }

  /** Runs a script to its end and returns what it printed. */
  public static String run(Path folder, String script, List<String> arguments)
      throws IOException, InterruptedException {
    Path root = ProjectRoot.find();
    List<String> command = new ArrayList<>(List.of(find().orElseThrow()));
    command.add(root.resolve("verification/testbed/src/main/python").resolve(script).toString());
    command.addAll(arguments);
    Path output = folder.resolve(script + ".out");
    Path errors = folder.resolve(script + ".err");
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("PYTHONPATH", root.resolve("notebooks").toString());
    Process process =
        builder.redirectOutput(output.toFile()).redirectError(errors.toFile()).start();
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
    if (process.exitValue() != 0) {
      throw new AssertionError(script + " failed: " + Files.readString(errors));
    }
    return Files.readString(output);
  }
}
