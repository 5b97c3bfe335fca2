// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.flink;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.testbed.docs.ContainerFiles;
import dev.flowstone.testbed.programs.ProjectRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Flink as its project distributes it, put together from its packages on PyPI by the script that
 * makes the image. Kept in the build folder.
 */
public final class StockFlink {
  private static final Path ROOT = ProjectRoot.find();
  private static final Path FOLDER = ROOT.resolve("build/flink-2.3.0");

  private StockFlink() {}

  /** Its home; downloads it if need be. Empty: that failed. */
  public static Optional<Path> find() throws IOException, InterruptedException {
    Path configuration = ContainerFiles.FOLDER.resolve("config.yaml");
    Path script = ContainerFiles.FOLDER.resolve("image/install-flink.sh");
    if (isNewerThan(script) && isNewerThan(configuration)) {
      return Optional.of(FOLDER);
    }
    if (Files.exists(FOLDER)) {
      ScratchFolder.deleteLeft(FOLDER);
    }
    Files.createDirectories(FOLDER.getParent());
    int status =
        new ProcessBuilder(script.toString(), FOLDER.toString(), configuration.toString())
            .redirectErrorStream(true)
            .redirectOutput(ROOT.resolve("build/stock-flink.log").toFile())
            .start()
            .waitFor();
    return status == 0 ? Optional.of(FOLDER) : Optional.empty();
  }

  private static boolean isNewerThan(Path source) throws IOException {
    return Files.isDirectory(FOLDER)
        && Files.getLastModifiedTime(FOLDER).compareTo(Files.getLastModifiedTime(source)) > 0;
  }

  /** A home of a test's own, which may add jars and settings; without one the test is skipped. */
  public static ScratchFolder copy() throws IOException, InterruptedException {
    Optional<Path> distribution = find();
    assumeTrue(distribution.isPresent(), "no stock Flink: it could not be downloaded from PyPI");
    ScratchFolder home = ScratchFolder.onDisk("stock-flink");
    copy(distribution.get(), home.path());
    return home;
  }

  private static void copy(Path distribution, Path home) throws IOException {
    for (String shared : List.of("lib", "opt", "plugins")) {
      Files.createDirectory(home.resolve(shared));
      for (Path file : in(distribution.resolve(shared))) {
        Files.createSymbolicLink(home.resolve(shared).resolve(file.getFileName()), file);
      }
    }
    // Scripts look for the rest beside where they really are.
    for (String own : List.of("bin", "conf")) {
      Files.createDirectory(home.resolve(own));
      for (Path file : in(distribution.resolve(own))) {
        Files.copy(file, home.resolve(own).resolve(file.getFileName()));
      }
    }
    Files.createDirectory(home.resolve("log"));
  }

  private static List<Path> in(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }
}
