// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import dev.flowstone.testbed.programs.ProjectRoot;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * A savepoint that some version of ours made, the rings that its job read, and what an undisturbed
 * job tells of them that the stopped one had not told: its README says more.
 */
record KeptSavepoint(Path folder) {
  private static final Path ALL =
      ProjectRoot.find().resolve("verification/end-to-end/src/test/resources/savepoints");

  static KeptSavepoint named(String name) {
    return new KeptSavepoint(ALL.resolve(name));
  }

  static List<KeptSavepoint> all() throws IOException {
    try (Stream<Path> folders = Files.list(ALL)) {
      return folders.filter(Files::isDirectory).sorted().map(KeptSavepoint::new).toList();
    }
  }

  private Path savepoint() {
    return folder.resolve("savepoint.zip");
  }

  private Path rings() {
    return folder.resolve("rings.zip");
  }

  private Path expected() {
    return folder.resolve("expected.jsonl");
  }

  /** What is kept is never replaced: whoever has such a savepoint wants to go on from it. */
  void keep(Path madeSavepoint, Path ringFiles, String rules, List<String> lines)
      throws IOException {
    Files.createDirectory(folder);
    Files.writeString(folder.resolve("rules.yaml"), rules);
    pack(madeSavepoint, savepoint());
    pack(ringFiles, rings());
    Files.write(expected(), lines);
  }

  Path unpackSavepoint(Path target) throws IOException {
    return unpack(savepoint(), target);
  }

  Path unpackRings(Path target) throws IOException {
    return unpack(rings(), target);
  }

  List<String> readExpected() throws IOException {
    return Files.readAllLines(expected());
  }

  private static void pack(Path files, Path archive) throws IOException {
    try (OutputStream file = Files.newOutputStream(archive);
        ZipOutputStream zip = new ZipOutputStream(file);
        Stream<Path> each = Files.walk(files)) {
      for (Path one : each.filter(Files::isRegularFile).sorted().toList()) {
        zip.putNextEntry(new ZipEntry(files.relativize(one).toString()));
        Files.copy(one, zip);
      }
    }
  }

  private static Path unpack(Path archive, Path target) throws IOException {
    try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(archive))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        Path file = target.resolve(entry.getName());
        Files.createDirectories(file.getParent());
        Files.copy(zip, file);
      }
    }
    return target;
  }

  @Override
  public String toString() {
    return folder.getFileName().toString();
  }
}
