// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import dev.flowstone.offheap.Reason;
import dev.flowstone.rules.TextFile;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;

/**
 * A rules file where the JobManager runs. It is read when it has been left alone from one look to
 * the next, so that a file half written is seldom seen.
 */
public record FileWatch(File file) implements RulesWatch {
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
    public List<WrittenRules> look() throws IOException {
      try {
        return lookAtFile();
      } catch (FileSystemException e) {
        throw new IOException(path + ": " + Reason.of(e), e);
      }
    }

    private List<WrittenRules> lookAtFile() throws IOException {
      BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
      Stamp now = new Stamp(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
      boolean settled = now.equals(seen);
      seen = now;
      if (!settled || now.equals(read)) {
        return List.of();
      }
      try (InputStream file = Files.newInputStream(path)) {
        byte[] bytes = file.readNBytes(TextFile.MOST_BYTES + 1);
        read = now;
        return List.of(new WrittenRules(path.toString(), bytes));
      }
    }

    @Override
    public void close() {}
  }
}
