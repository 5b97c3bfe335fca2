// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Optional;

/**
 * A rules file where the JobManager runs. It is read when it has been left alone from one look to
 * the next, so that a file half written is seldom seen.
 */
public record FileWatch(File file) implements RulesWatch {
  /** Rules are refused for their size by whoever reads them; this only bounds what is tried. */
  private static final long MOST_BYTES = 64L << 20;

  public static FileWatch of(Path path) {
    return new FileWatch(path.toAbsolutePath().toFile());
  }

  @Override
  public Looking begin() {
    return new LookingAtFile(file.toPath());
  }

  private record Stamp(FileTime modified, long bytes, Object key) {}

  private static final class LookingAtFile implements Looking {
    private final Path path;
    private Stamp seen;
    private Stamp read;

    LookingAtFile(Path path) {
      this.path = path;
    }

    @Override
    public Optional<WrittenRules> look() throws IOException {
      BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
      Stamp now = new Stamp(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
      boolean settled = now.equals(seen);
      seen = now;
      if (!settled || now.equals(read)) {
        return Optional.empty();
      }
      if (attributes.size() > MOST_BYTES) {
        throw new IOException(path + " has " + attributes.size() + " bytes: no rules file");
      }
      read = now;
      return Optional.of(
          new WrittenRules(path.toString(), new String(Files.readAllBytes(path), UTF_8)));
    }

    @Override
    public void close() {}
  }
}
