// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import java.nio.file.Files;
import java.nio.file.Path;

/** A file that is written at the end of a run: whether that will work is known at its start. */
public final class OutputFile {
  private OutputFile() {}

  public static void requireWritable(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || Files.isDirectory(file)) {
      throw new IllegalArgumentException(file + " is a folder; name a file");
    }
    if (!Files.isDirectory(folder)) {
      throw new IllegalArgumentException("cannot write " + file + ": there is no folder " + folder);
    }
    if (!Files.isWritable(Files.exists(file) ? file : folder)) {
      throw new IllegalArgumentException("cannot write " + file + ": permission denied");
    }
  }
}
