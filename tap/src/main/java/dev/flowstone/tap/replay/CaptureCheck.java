// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import java.nio.file.Files;
import java.nio.file.Path;

/** Whether a capture can be replayed at all, asked before much is started for it. */
public final class CaptureCheck {
  private CaptureCheck() {}

  /** Opens the file and knows its format, or throws with the reason; reads no packet. */
  public static void requireReadable(Path capture) {
    if (!Files.exists(capture)) {
      throw new CaptureException(capture + ": no such file");
    }
    if (Files.isDirectory(capture)) {
      throw new CaptureException(capture + ": a folder; name the captures in it");
    }
    new ReplaySource(ReplayOptions.once(capture)).close();
  }
}
