// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file that is written at the end of a run: whether that will work is tried at its start, and
 * what is wrong with it is said in the same words at both moments.
 */
public final class OutputFile {
  private OutputFile() {}

  /** Throws if it cannot be written; changes nothing. */
  public static void requireWritable(Path file) {
    try {
      tryToWrite(file);
    } catch (IOException e) {
      throw new IllegalArgumentException(refusal(file, e), e);
    }
  }

  public static void write(Path file, byte[] content) throws IOException {
    try {
      Files.write(file, content);
    } catch (IOException e) {
      throw new IOException(refusal(file, e), e);
    }
  }

  private static void tryToWrite(Path file) throws IOException {
    if (Files.isRegularFile(file)) {
      FileChannel.open(file, StandardOpenOption.WRITE).close();
    } else if (!Files.exists(file)) {
      // Permissions do not tell: root has all of them, and /proc takes no file from anybody.
      Files.createFile(file);
      Files.delete(file);
    } else if (Files.isDirectory(file) || !Files.isWritable(file)) {
      // A pipe is not opened beforehand: its reader would see it end.
      throw new IOException("permission denied");
    }
  }

  private static String refusal(Path file, IOException e) {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || Files.isDirectory(file)) {
      return "cannot write " + file + ": it is a folder; name a file";
    }
    if (!Files.isDirectory(folder)) {
      return "cannot write " + file + ": there is no folder " + folder;
    }
    return "cannot write "
        + file
        + ": "
        + (e instanceof NoSuchFileException ? folder + " takes no files" : Reason.of(e));
  }
}
