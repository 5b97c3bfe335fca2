// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What is no argument itself, since whoever lists processes sees these. */
public final class SecretFile {
  private SecretFile() {}

  /**
   * The first line, without blanks around it.
   *
   * @param option that named the file
   */
  public static String firstLine(String option, Path file) throws IOException {
    String line;
    try {
      line = Files.readString(file).lines().findFirst().orElse("").strip();
    } catch (IOException e) {
      throw new IOException(option + ": cannot read " + file + ": " + Reason.of(e), e);
    }
    if (line.isEmpty()) {
      throw new IOException(
          option + ": the first line of " + file + " is empty; it has to be what is secret");
    }
    return line;
  }
}
