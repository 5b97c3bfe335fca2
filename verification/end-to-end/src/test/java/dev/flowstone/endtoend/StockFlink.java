// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Flink as its project distributes it for Python: jars, no scripts. Kept in the build folder. */
final class StockFlink {
  private static final String PACKAGE = "apache-flink-libraries==2.3.0";

  private StockFlink() {}

  /** Where its lib folder is; downloads it if need be. Empty: that failed. */
  static Optional<Path> find() throws IOException, InterruptedException {
    Path environment = ProjectRoot.find().resolve("build/stock-flink");
    Optional<Path> there = in(environment);
    if (there.isPresent()) {
      return there;
    }
    Path log = ProjectRoot.find().resolve("build/stock-flink.log");
    Files.createDirectories(log.getParent());
    boolean done =
        run(log, "python3", "-m", "venv", environment.toString())
            && run(log, environment.resolve("bin/pip").toString(), "install", "--no-deps", PACKAGE);
    return done ? in(environment) : Optional.empty();
  }

  private static Optional<Path> in(Path environment) throws IOException {
    if (!Files.isDirectory(environment)) {
      return Optional.empty();
    }
    try (Stream<Path> files = Files.walk(environment.resolve("lib"))) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("flink-dist-"))
          .map(file -> file.getParent().getParent())
          .findFirst();
    }
  }

  private static boolean run(Path log, String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start()
            .waitFor()
        == 0;
  }
}
