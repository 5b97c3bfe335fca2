// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The generated files as they stand in a project, compared with what they should be. */
final class ProjectFiles {
  private static final List<String> DIRECTORIES =
      List.of("docs/formats", "hw/include", "hw/rtl", "notebooks/flowstone", JavaSource.DIRECTORY);

  private final Path root;
  private final List<GeneratedFile> expected;

  ProjectFiles(Path root, List<GeneratedFile> expected) {
    this.root = root;
    this.expected = expected;
  }

  /**
   * Paths below the root that are missing, differ, or were generated from a layout that is gone.
   */
  List<String> drift() throws IOException {
    List<String> paths = new ArrayList<>();
    for (GeneratedFile file : expected) {
      if (!isCurrent(file)) {
        paths.add(file.path());
      }
    }
    paths.addAll(orphans());
    return paths;
  }

  /** Writes what differs, deletes the orphans, and returns the paths it touched. */
  List<String> write() throws IOException {
    List<String> touched = new ArrayList<>();
    for (GeneratedFile file : expected) {
      if (!isCurrent(file)) {
        Path path = root.resolve(file.path());
        Files.createDirectories(path.getParent());
        Files.writeString(path, file.text());
        touched.add(file.path());
      }
    }
    for (String orphan : orphans()) {
      Files.delete(root.resolve(orphan));
      touched.add(orphan);
    }
    return touched;
  }

  private boolean isCurrent(GeneratedFile file) throws IOException {
    Path path = root.resolve(file.path());
    return Files.exists(path) && Files.readString(path).equals(file.text());
  }

  private List<String> orphans() throws IOException {
    Set<String> known = expected.stream().map(GeneratedFile::path).collect(Collectors.toSet());
    List<String> orphans = new ArrayList<>();
    for (String directory : DIRECTORIES) {
      for (Path path : textFiles(root.resolve(directory))) {
        String name = root.relativize(path).toString();
        if (!known.contains(name) && Files.readString(path).contains(GeneratedFile.MARK)) {
          orphans.add(name);
        }
      }
    }
    return orphans;
  }

  private static List<Path> textFiles(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(path -> path.toString().matches(".*\\.(h|java|md|py|sv)"))
          .sorted()
          .toList();
    }
  }
}
