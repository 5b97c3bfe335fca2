// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.cluster;

import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/** How a cluster's processes are: the supervisor writes it, {@code status} reads it. */
final class StatusFile {
  private final Path path;
  private Properties told = new Properties();
  private String trouble = "";

  StatusFile(Path path) {
    this.path = path;
  }

  /**
   * Writes it if something has changed; what could not be written is tried again the next time.
   *
   * @return why it could not be written, if that has not been said yet
   */
  Optional<String> update(List<SupervisedProcess> processes) {
    Properties now = new Properties();
    processes.forEach(process -> now.setProperty(process.name(), process.describe()));
    String before = trouble;
    trouble = now.equals(told) ? "" : write(now);
    return trouble.isEmpty() || trouble.equals(before) ? Optional.empty() : Optional.of(trouble);
  }

  private String write(Properties now) {
    Path unfinished = path.resolveSibling("processes.new");
    try {
      try (OutputStream out = Files.newOutputStream(unfinished)) {
        now.store(out, null);
      }
      Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
      told = now;
      return "";
    } catch (IOException e) {
      return "cannot write " + path + ", status is old until I can: " + Reason.of(e);
    }
  }

  /** A line for each process, and one more where it has ended before. */
  List<String> read() throws IOException {
    Properties found = new Properties();
    if (Files.exists(path)) {
      try (InputStream in = Files.newInputStream(path)) {
        found.load(in);
      }
    }
    return found.stringPropertyNames().stream()
        .sorted()
        .flatMap(name -> found.getProperty(name).lines())
        .toList();
  }
}
