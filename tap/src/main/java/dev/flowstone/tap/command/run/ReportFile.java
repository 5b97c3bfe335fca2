// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.run;

import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where {@code --report} puts what a tap counted. */
public final class ReportFile {
  private ReportFile() {}

  public static void write(Path file, String json) {
    try {
      Files.writeString(file, json);
    } catch (IOException e) {
      throw new UncheckedIOException(file + ": cannot write the report: " + Reason.of(e), e);
    }
  }
}
