// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Capture files of real traffic: those that this machine has beside the project, or its own. */
final class Captures {
  /** Names the folder. */
  static final String PROPERTY = "flowstone.captures";

  /** The project's folder, where the launcher says it. */
  static final String HOME = "flowstone.home";

  private static final Path BESIDE_PROJECT = Path.of("..", "shared", "captures");
  private static final Path OWN = Path.of("traffic", "captures");
  private static final String ROOT_MARK = "flowstone";

  private Captures() {}

  /** Captures of mixed traffic; without them the small ones that the project has. */
  static List<Path> mixed() {
    Path folder = folder();
    List<Path> captures = list(folder);
    if (captures.isEmpty()) {
      throw new IllegalStateException(folder + ": no file *.pcap in this folder of captures");
    }
    return captures;
  }

  /** Figures on other captures are other figures. */
  static String describe() {
    Path folder = folder();
    return mixed().size()
        + " captures of "
        + folder.getParent().getFileName()
        + "/"
        + folder.getFileName();
  }

  private static List<Path> list(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".pcap")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(folder + ": cannot list the captures", e);
    }
  }

  /**
   * That which was named, its part of mixed traffic if it has one; nothing else takes its place.
   */
  private static Path folder() {
    String named = System.getProperty(PROPERTY);
    if (named != null) {
      return mixedOf(Path.of(named).toAbsolutePath());
    }
    Path mixed = mixedOf(projectRoot().resolve(BESIDE_PROJECT).normalize());
    return Files.isDirectory(mixed) ? mixed : projectRoot().resolve(OWN);
  }

  private static Path mixedOf(Path folder) {
    Path mixed = folder.resolve("mix");
    return Files.isDirectory(mixed) ? mixed : folder;
  }

  private static Path projectRoot() {
    String home = System.getProperty(HOME);
    return home == null ? rootAbove() : Path.of(home);
  }

  private static Path rootAbove() {
    Path folder = Path.of("").toAbsolutePath();
    while (folder.getParent() != null && !Files.isRegularFile(folder.resolve(ROOT_MARK))) {
      folder = folder.getParent();
    }
    return folder;
  }
}
