// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A Python that has NumPy, and the scripts of this module, run with the project's own package. */
final class Python {
  private static final int LIMIT_SECONDS = 120;

  private Python() {}

  /** The one that the launcher sets up, else the machine's own. */
  static Optional<String> find() throws InterruptedException {
    String ours = ProjectRoot.find().resolve("build/venv/bin/python").toString();
    for (String python : List.of(ours, "python3")) {
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

  /** Runs a script to its end and returns what it printed. */
  static String run(Path folder, String script, List<String> arguments)
      throws IOException, InterruptedException {
    Path root = ProjectRoot.find();
    List<String> command = new ArrayList<>(List.of(find().orElseThrow()));
    command.add(root.resolve("verification/end-to-end/src/test/python").resolve(script).toString());
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
